//! The choices of types for the type parameters of a definition: it is checked for each.

use crate::data::declared_type::{bound_name, scalars_of};
use crate::data::tables::DefInfo;
use arr_base::Diagnostic;
use arr_ir::Scalar;

/// The choices of types for the type parameters: all for one parameter, one type for all where there are several.
pub(crate) fn instances(info: &DefInfo) -> Vec<Vec<(&str, Scalar)>> {
    match info.type_params.as_slice() {
        [(name, bound)] => scalars_of(*bound).iter().map(|s| vec![(name.as_str(), *s)]).collect(),
        many => {
            let longest = many.iter().map(|(_, b)| scalars_of(*b).len()).max().unwrap_or(0);
            (0..longest)
                .map(|at| {
                    many.iter()
                        .enumerate()
                        .filter_map(|(k, (name, bound))| {
                            let scalars = scalars_of(*bound);
                            // Different parameters get different types where they can.
                            Some((name.as_str(), *scalars.get((at + k) % scalars.len().max(1))?))
                        })
                        .collect()
                })
                .collect()
        }
    }
}

pub(crate) fn with_types(diagnostic: Diagnostic, info: &DefInfo, types: &[(&str, Scalar)]) -> Diagnostic {
    let choice: Vec<String> = types.iter().map(|(n, s)| format!("`{n}` is `{s}`")).collect();
    let bounds: Vec<String> = info.type_params.iter().map(|(n, b)| format!("`{n}: {}`", bound_name(*b))).collect();
    diagnostic.note(format!("this is so when {}, which {} allows", choice.join(" and "), bounds.join(", ")))
}
