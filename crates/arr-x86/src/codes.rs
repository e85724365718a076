//! The instruction for each operation, by instruction set and element type.

use crate::Isa;
use crate::lir::Vec2;
use crate::program::{Elem, Width};
use iced_x86::Code;

/// One of four codes: AVX-512 then AVX2, `f64` then `f32`.
fn pick(isa: Isa, elem: Elem, codes: [Code; 4]) -> Code {
    let [wide64, wide32, narrow64, narrow32] = codes;
    match (isa, elem) {
        (Isa::Avx512, Elem::F64) => wide64,
        (Isa::Avx512, Elem::F32) => wide32,
        (Isa::Avx2, Elem::F64) => narrow64,
        (Isa::Avx2, Elem::F32) => narrow32,
    }
}

macro_rules! float {
    ($isa:expr, $elem:expr, $pd:ident $ps:ident $ypd:ident $yps:ident) => {
        pick($isa, $elem, [Code::$pd, Code::$ps, Code::$ypd, Code::$yps])
    };
}

/// Two sources, the second of which may be in memory. `None` where there is no such instruction.
pub fn vec2(op: Vec2, isa: Isa, elem: Elem) -> Option<Code> {
    let wide = isa == Isa::Avx512;
    Some(match op {
        Vec2::Add => float!(isa, elem, EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vaddpd_ymm_ymm_ymmm256 VEX_Vaddps_ymm_ymm_ymmm256),
        Vec2::Sub => float!(isa, elem, EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vsubpd_ymm_ymm_ymmm256 VEX_Vsubps_ymm_ymm_ymmm256),
        Vec2::Mul => float!(isa, elem, EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vmulpd_ymm_ymm_ymmm256 VEX_Vmulps_ymm_ymm_ymmm256),
        Vec2::Div => float!(isa, elem, EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vdivpd_ymm_ymm_ymmm256 VEX_Vdivps_ymm_ymm_ymmm256),
        Vec2::Scale if wide && elem == Elem::F64 => Code::EVEX_Vscalefpd_zmm_k1z_zmm_zmmm512b64_er,
        Vec2::Min => float!(isa, elem, EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae
            VEX_Vminpd_ymm_ymm_ymmm256 VEX_Vminps_ymm_ymm_ymmm256),
        Vec2::Max => float!(isa, elem, EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae
            VEX_Vmaxpd_ymm_ymm_ymmm256 VEX_Vmaxps_ymm_ymm_ymmm256),
        Vec2::And => float!(isa, elem, EVEX_Vandpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vandps_zmm_k1z_zmm_zmmm512b32
            VEX_Vandpd_ymm_ymm_ymmm256 VEX_Vandps_ymm_ymm_ymmm256),
        Vec2::Or => float!(isa, elem, EVEX_Vorpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vorps_zmm_k1z_zmm_zmmm512b32
            VEX_Vorpd_ymm_ymm_ymmm256 VEX_Vorps_ymm_ymm_ymmm256),
        Vec2::Xor => float!(isa, elem, EVEX_Vxorpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vxorps_zmm_k1z_zmm_zmmm512b32
            VEX_Vxorpd_ymm_ymm_ymmm256 VEX_Vxorps_ymm_ymm_ymmm256),
        Vec2::IntAdd if wide => Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        Vec2::IntAdd => Code::VEX_Vpaddq_ymm_ymm_ymmm256,
        Vec2::IntSub if wide => Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
        Vec2::IntSub => Code::VEX_Vpsubq_ymm_ymm_ymmm256,
        Vec2::IntMul if wide => Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
        Vec2::MulLow if wide => Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64,
        Vec2::MulLow => Code::VEX_Vpmuludq_ymm_ymm_ymmm256,
        Vec2::IntGreater if !wide && elem == Elem::F64 => Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256,
        Vec2::IntGreater if !wide => Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256,
        Vec2::Scale | Vec2::IntMul | Vec2::IntGreater => return None,
    })
}

pub fn sqrt(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er
        VEX_Vsqrtpd_ymm_ymmm256 VEX_Vsqrtps_ymm_ymmm256)
}

pub fn round(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae
        VEX_Vroundpd_ymm_ymmm256_imm8 VEX_Vroundps_ymm_ymmm256_imm8)
}

/// The destination times the second source plus the third, each of which may come last; and as named by the digits.
pub fn fma(order: u32, isa: Isa, elem: Elem) -> Code {
    match order {
        231 => float!(isa, elem, EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vfmadd231pd_ymm_ymm_ymmm256 VEX_Vfmadd231ps_ymm_ymm_ymmm256),
        213 => float!(isa, elem, EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vfmadd213pd_ymm_ymm_ymmm256 VEX_Vfmadd213ps_ymm_ymm_ymmm256),
        _ => float!(isa, elem, EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er
            VEX_Vfmadd132pd_ymm_ymm_ymmm256 VEX_Vfmadd132ps_ymm_ymm_ymmm256),
    }
}

pub fn compare(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae
        VEX_Vcmppd_ymm_ymm_ymmm256_imm8 VEX_Vcmpps_ymm_ymm_ymmm256_imm8)
}

pub fn blend(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32
        VEX_Vblendvpd_ymm_ymm_ymmm256_ymm VEX_Vblendvps_ymm_ymm_ymmm256_ymm)
}

pub fn load(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vmovupd_zmm_k1z_zmmm512 EVEX_Vmovups_zmm_k1z_zmmm512
        VEX_Vmovupd_ymm_ymmm256 VEX_Vmovups_ymm_ymmm256)
}

/// A store that bypasses the cache.
pub fn stream(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vmovntpd_m512_zmm EVEX_Vmovntps_m512_zmm VEX_Vmovntpd_m256_ymm VEX_Vmovntps_m256_ymm)
}

pub fn store(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vmovupd_zmmm512_k1z_zmm EVEX_Vmovups_zmmm512_k1z_zmm
        VEX_Vmovupd_ymmm256_ymm VEX_Vmovups_ymmm256_ymm)
}

/// AVX2: the mask is a register of its own.
pub fn masked_load(elem: Elem) -> Code {
    if elem == Elem::F64 { Code::VEX_Vmaskmovpd_ymm_ymm_m256 } else { Code::VEX_Vmaskmovps_ymm_ymm_m256 }
}

pub fn masked_store(elem: Elem) -> Code {
    if elem == Elem::F64 { Code::VEX_Vmaskmovpd_m256_ymm_ymm } else { Code::VEX_Vmaskmovps_m256_ymm_ymm }
}

pub fn broadcast(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vbroadcastsd_zmm_k1z_xmmm64 EVEX_Vbroadcastss_zmm_k1z_xmmm32
        VEX_Vbroadcastsd_ymm_m64 VEX_Vbroadcastss_ymm_m32)
}

pub fn gather(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vgatherqpd_zmm_k1_vm64z EVEX_Vgatherqps_ymm_k1_vm64z
        VEX_Vgatherqpd_ymm_vm64y_ymm VEX_Vgatherqps_xmm_vm64y_xmm)
}

/// AVX-512.
pub fn scatter(elem: Elem) -> Code {
    if elem == Elem::F64 { Code::EVEX_Vscatterqpd_vm64z_k1_zmm } else { Code::EVEX_Vscatterqps_vm64z_k1_ymm }
}

pub fn extend_ints(isa: Isa, width: Width) -> Code {
    match (isa, width) {
        (Isa::Avx512, Width::U32) => Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
        (Isa::Avx512, _) => Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
        (Isa::Avx2, Width::U32) => Code::VEX_Vpmovzxdq_ymm_xmmm128,
        (Isa::Avx2, _) => Code::VEX_Vpmovsxdq_ymm_xmmm128,
    }
}

pub fn shift(isa: Isa, left: bool) -> Code {
    match (isa, left) {
        (Isa::Avx512, true) => Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
        (Isa::Avx512, false) => Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
        (Isa::Avx2, true) => Code::VEX_Vpsllq_ymm_ymm_imm8,
        (Isa::Avx2, false) => Code::VEX_Vpsrlq_ymm_ymm_imm8,
    }
}

pub fn store_scalar(isa: Isa, elem: Elem) -> Code {
    float!(isa, elem, EVEX_Vmovsd_m64_k1_xmm EVEX_Vmovss_m32_k1_xmm VEX_Vmovsd_m64_xmm VEX_Vmovss_m32_xmm)
}
