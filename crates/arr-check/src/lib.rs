//! Names, types and sizes of Arr programs, and elaboration into the core IR.
