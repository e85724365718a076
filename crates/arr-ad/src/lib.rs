//! Forward and reverse automatic differentiation of bulk code.
