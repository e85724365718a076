//! IR written back as Arr source.
