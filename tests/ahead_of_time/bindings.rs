//! Calls through the Rust module: values, failures, memory, results that outlive their context.

#[path = "shapes.rs"]
mod shapes;

use shapes::{Array, ArrayMut, Context, ErrorKind, Layer, LayerMut, Net, NetMut, Point, PointQ, Shape, ShapeCircle};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut context = Context::new();
    context.set_threads(1);
    println!("f(3) = {}", shapes::f(&mut context, 3.0)?);
    println!("{:?}", shapes::f_value_and_grad(&mut context, 3.0)?);
    println!("{:?}", shapes::scalars(&mut context, true, 1, 2, 3, 4.0, 5.0)?);

    // One axis, and several.
    let (x, weight, bias) = ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.1, 0.2, 0.3]);
    let matrix = |dims| Array::new(&weight, dims).ok_or("as many elements as the extents say");
    let net = Net {
        first: Layer { weight: matrix([3, 2])?, bias: bias.as_slice().into() },
        second: Layer { weight: matrix([2, 3])?, bias: bias[..2].into() },
        rate: 0.5,
    };
    let result = shapes::apply(&mut context, &net, &x.as_slice().into())?;
    println!("apply: {:?} {:?}", result.view().as_slice(), result.view().dims());
    assert!(Array::new(&weight, [4, 2]).is_none() && Array::new(&weight, [usize::MAX, 2]).is_none());

    // Several results, which outlive the context.
    let target = x.as_slice().into();
    let (loss, d_net, _, d_target) = shapes::loss_value_and_grad(&mut Context::new(), &net, &target, &target)?;
    println!("loss {loss}, d_net.second.weight: {:?}", d_net.view().second.weight.as_slice());
    println!("d_target: {:?}", d_target.view().as_slice());

    // A sum, and an array of sums.
    let circle = ShapeCircle { _0: Point { x: 1.0, y: 2.0 }, _1: 3.0 };
    let shape = Shape { tag: shapes::SHAPE_CIRCLE, Circle: circle, ..Shape::default() };
    let grown = shapes::grown(&mut context, &shape, 2.0)?;
    println!("tag {}, radius {}", grown.view().tag, grown.view().Circle._1);
    println!("radii: {:?}", shapes::outline(&mut context, 2)?.view().Circle._1.as_slice());
    println!("{:?}", shapes::point(&mut context, &Point { x: 1.0, y: 2.0 }, &PointQ { _0: 3.0, _1: 4 })?);
    shapes::nothing(&mut context, 1.0)?;

    // Into memory of the caller, which is a part of a larger array.
    let mut room = [7.0; 20];
    let (first, rest) = room.split_at_mut(9);
    let mut memory = ArrayMut::from(first);
    shapes::apply_into(&mut context, &net, &x.as_slice().into(), &mut memory)?;
    println!("into: {:?}", memory.as_slice());
    let (weights, rest) = rest.split_at_mut(6);
    let d_first = LayerMut { weight: ArrayMut::new(weights, [3, 2]).ok_or("six")?, bias: rest[..3].as_mut().into() };
    let mut d_net = NetMut { first: d_first, ..NetMut::default() };
    let refused = shapes::loss_value_and_grad_into(
        &mut context,
        &net,
        &target,
        &target,
        &mut d_net,
        &mut ArrayMut::default(),
        &mut ArrayMut::default(),
    );
    println!("{}", refused.map_or_else(|error| error.to_string(), |loss| loss.to_string()));

    // Threads with a context each.
    let totals = std::thread::scope(|scope| {
        let work = |n: usize| {
            let net = &net;
            move || {
                let x = [n as f64, 1.0];
                let result = shapes::apply(&mut Context::new(), net, &x.as_slice().into());
                result.map(|y| y.view().as_slice().iter().sum::<f64>())
            }
        };
        let threads: Vec<_> = (0..3).map(|n| scope.spawn(work(n))).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked")).collect::<Result<Vec<_>, _>>()
    })?;
    println!("{:?}", totals.into_iter().collect::<Result<Vec<f64>, _>>()?);

    // Failures are errors, with the place in the program.
    match shapes::pick(&mut context, &x.as_slice().into(), 7) {
        Err(error) => println!("{:?} {} {error}", error.kind, error.code),
        Ok(_) => return Err("an index out of range is an error".into()),
    }
    context.set_max_memory(1000);
    let refused = shapes::zeroes(&mut context, 1000).map(|_| ()).map_err(|error| error.kind);
    assert_eq!(refused, Err(ErrorKind::OutOfMemory));
    Ok(())
}
