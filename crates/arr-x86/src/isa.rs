//! The instruction sets.

/// A target instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Isa {
    /// AVX-512 F, DQ, VL and BW, with FMA and BMI2: 32 registers of 64 bytes, and mask registers.
    Avx512,
    /// AVX2 with FMA: 16 registers of 32 bytes.
    Avx2,
}

impl Isa {
    pub const ALL: [Isa; 2] = [Isa::Avx512, Isa::Avx2];

    pub fn name(self) -> &'static str {
        match self {
            Isa::Avx512 => "avx512",
            Isa::Avx2 => "avx2",
        }
    }

    /// Bytes of a vector register.
    pub fn bytes(self) -> usize {
        match self {
            Isa::Avx512 => 64,
            Isa::Avx2 => 32,
        }
    }
}
