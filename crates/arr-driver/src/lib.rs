//! A compilation session: files in, stages run, results out.
