//! Matrix products, as plain loops whose innermost runs along memory.

use super::{Body, Result};
use crate::library::helper;
use crate::text::{Binds, Text, binary, call, constant, offset_product, offset_sum};
use arr_ir::Const;
use arr_loops::{MatMul, ProductAxis, Role};

/// An axis with its texts.
struct Axis {
    role: Role,
    index: String,
    extent: Text,
    into: Text,
    left: Text,
    right: Text,
}

impl Body<'_, '_> {
    pub(super) fn product(&mut self, product: &MatMul) -> Result<()> {
        self.flush(|p| p.memory);
        let mut axes = Vec::new();
        for axis in &product.axes {
            let one = self.axis(axis);
            axes.push(one);
        }
        // Along memory: the columns, if both the result's and the right matrix's lie side by side.
        let by_columns =
            axes.iter().rev().find(|a| a.role == Role::Column).is_some_and(|a| a.right.is_one() && a.into.is_one());
        let order: &[Role] = if by_columns {
            &[Role::Batch, Role::Row, Role::Inner, Role::Column]
        } else {
            &[Role::Batch, Role::Row, Role::Column, Role::Inner]
        };
        let rank = |role: Role| order.iter().position(|&r| r == role).unwrap_or(0);
        axes.sort_by_key(|a| rank(a.role));
        let at = |body: &Body<'_, '_>, address, stride: fn(&Axis) -> &Text| -> Result<Text> {
            let sum = axes.iter().fold(Text::primary("0"), |sum, axis| {
                offset_sum(&sum, &offset_product(&Text::primary(axis.index.clone()), stride(axis)))
            });
            Ok(body.address(address)?.element(&sum, true))
        };
        let (into, left, right) = (
            at(self, product.into, |a| &a.into)?,
            at(self, product.left, |a| &a.left)?,
            at(self, product.right, |a| &a.right)?,
        );
        let elem = self.func.ty(product.into).elem();
        let zero = constant(Const::zero(elem));
        let term = if product.zero_wins {
            call(&helper("mulz", elem), &[left, right])
        } else {
            binary(&left, "*", &right, Binds::Product)
        };
        if by_columns {
            if !product.accumulate {
                let outer: Vec<&Axis> = axes.iter().filter(|a| a.role != Role::Inner).collect();
                self.nest(&outer, &[format!("{} = {};", into.text, zero.text)]);
            }
            let all: Vec<&Axis> = axes.iter().collect();
            self.nest(&all, &[format!("{} += {};", into.text, term.text)]);
            return Ok(());
        }
        let (inner, outer): (Vec<&Axis>, Vec<&Axis>) = axes.iter().partition(|a| a.role == Role::Inner);
        let sum = self.names.fresh("sum");
        let depth = self.depth;
        self.open(&outer);
        self.push(format!("{} {sum} = {};", arr_header::c_type(elem), zero.text));
        self.nest(&inner, &[format!("{sum} += {};", term.text)]);
        self.push(format!("{} {} {sum};", into.text, if product.accumulate { "+=" } else { "=" }));
        self.close(depth);
        Ok(())
    }

    fn axis(&mut self, axis: &ProductAxis) -> Axis {
        let name = match axis.role {
            Role::Batch => "batch",
            Role::Row => "row",
            Role::Column => "col",
            Role::Inner => "k",
        };
        Axis {
            role: axis.role,
            index: self.names.fresh(name),
            extent: self.stable(axis.extent),
            into: self.stable(axis.into),
            left: self.stable(axis.left),
            right: self.stable(axis.right),
        }
    }

    fn nest(&mut self, axes: &[&Axis], lines: &[String]) {
        let depth = self.depth;
        self.open(axes);
        lines.iter().for_each(|line| self.push(line));
        self.close(depth);
    }

    fn open(&mut self, axes: &[&Axis]) {
        for axis in axes {
            let Axis { index, extent, .. } = axis;
            self.push(format!("for (int64_t {index} = 0; {index} < {}; {index}++) {{", extent.within(Binds::Sum)));
            self.depth += 1;
        }
    }

    fn close(&mut self, depth: usize) {
        while self.depth > depth {
            self.depth -= 1;
            self.push("}");
        }
    }
}
