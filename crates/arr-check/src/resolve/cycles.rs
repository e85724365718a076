//! The order of things that use each other, used ones first, and the cycles among them.

#[derive(Clone, Copy, Default)]
struct Node {
    visited: bool,
    on_stack: bool,
    low: usize,
}

/// Strongly connected components, after Tarjan.
#[derive(Default)]
pub(crate) struct CycleFinder {
    uses: Vec<Vec<usize>>,
    state: Vec<Node>,
    stack: Vec<usize>,
    counter: usize,
    order: Vec<usize>,
    cycles: Vec<Vec<usize>>,
}

impl CycleFinder {
    /// What each uses, by numbers; gives those that are in no cycle, used ones first, and the cycles.
    pub fn run(uses: Vec<Vec<usize>>) -> (Vec<usize>, Vec<Vec<usize>>) {
        let count = uses.len();
        let mut finder = CycleFinder { uses, state: vec![Node::default(); count], ..CycleFinder::default() };
        (0..count).for_each(|at| finder.visit(at));
        (finder.order, finder.cycles)
    }

    fn node(&mut self, at: usize) -> Option<&mut Node> {
        self.state.get_mut(at)
    }

    fn visit(&mut self, at: usize) {
        let number = self.counter;
        match self.node(at) {
            Some(node) if !node.visited => *node = Node { visited: true, on_stack: true, low: number },
            _ => return,
        }
        self.counter += 1;
        self.stack.push(at);
        let uses = self.uses.get_mut(at).map(std::mem::take).unwrap_or_default();
        let mut low = number;
        for &next in &uses {
            self.visit(next);
            if let Some(node) = self.node(next).filter(|n| n.on_stack) {
                low = low.min(node.low);
            }
        }
        if let Some(node) = self.node(at) {
            node.low = low;
        }
        if low == number {
            self.close(at, uses.contains(&at));
        }
    }

    fn close(&mut self, root: usize, uses_itself: bool) {
        let mut component = Vec::new();
        while let Some(at) = self.stack.pop() {
            if let Some(node) = self.node(at) {
                node.on_stack = false;
            }
            component.push(at);
            if at == root {
                break;
            }
        }
        if component.len() > 1 || uses_itself {
            self.cycles.push(component);
        } else {
            self.order.extend(component);
        }
    }
}
