//! Runs a kernel and its evaluator on equal memory.

use arr_x86::{Elem, Isa, Kernel, Memory, Program, assemble, eval, print};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module};

/// Bytes before and after every array that nothing may touch.
const GUARD: usize = 128;

/// The memory of one run.
pub struct Case {
    elem: Elem,
    /// Arrays with guards, and the environment slot that points to some byte of each.
    arrays: Vec<(usize, usize, Vec<u8>)>,
    env: Vec<u64>,
}

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

const EDGES: [f64; 14] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-310,
    -3e-42,
    1e300,
    -1e300,
    0.5,
    2.5,
    -1.5,
    4503599627370497.5,
    1e19,
];

/// Numbers of which a part is hard; for even seeds all are ordinary.
fn floats(elem: Elem, count: usize, seed: &mut u64, ordinary: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        let pick = random(seed);
        let plain = (random(seed) as f64 / (1u64 << 31) as f64 - 0.5) * 8.0;
        let x = if ordinary || pick.is_multiple_of(3) { plain } else { EDGES[pick as usize % EDGES.len()] };
        bytes.extend(elem.bits(x).to_le_bytes().iter().take(elem.bytes()));
    }
    bytes
}

impl Case {
    /// Slots: 0 n, 1 x, 2 y, 3 out, 5 integers, 8 a number, 9 for a result.
    pub fn rows(elem: Elem, n: usize, seed: u64) -> Case {
        let ordinary = seed.is_multiple_of(2);
        let mut seed = seed.wrapping_mul(77).wrapping_add(n as u64);
        let mut case = Case { elem, arrays: Vec::new(), env: vec![0; 12] };
        case.env[0] = n as u64;
        for slot in [1, 2, 3] {
            case.add(slot, 0, floats(elem, n, &mut seed, ordinary));
        }
        let ints: Vec<u8> = (0..n).flat_map(|_| (random(&mut seed) << 35 ^ random(&mut seed)).to_le_bytes()).collect();
        case.add(5, 0, ints);
        case.env[8] = elem.bits(1.75);
        case
    }

    /// As `rows`, and: 4 m, 6 a matrix of n rows and m columns; slot 2 has at least m elements.
    pub fn matrix(elem: Elem, n: usize, m: usize, seed: u64) -> Case {
        let mut case = Case::rows(elem, n, seed);
        let mut seed = seed.wrapping_add(5);
        case.arrays.retain(|(slot, ..)| *slot != 2);
        case.add(2, 0, floats(elem, n.max(m), &mut seed, false));
        case.env[4] = m as u64;
        case.add(6, 0, floats(elem, n * m, &mut seed, true));
        case
    }

    /// As `rows`, and: 7 the last element of every second one.
    pub fn backwards(elem: Elem, n: usize, seed: u64) -> Case {
        let mut case = Case::rows(elem, n, seed);
        let count = 2 * n + 1;
        let last = (2 * n.max(1) - 2) * elem.bytes();
        case.add(7, last, vec![0; count * elem.bytes()]);
        case
    }

    fn add(&mut self, slot: usize, offset: usize, bytes: Vec<u8>) {
        let guard = vec![0xa5; GUARD];
        self.arrays.push((slot, offset, [guard.clone(), bytes, guard].concat()));
    }
}

fn supported(isa: Isa) -> bool {
    match isa {
        Isa::Avx512 => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("bmi2")
        }
        Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
    }
}

/// Machine code in memory.
pub struct Loaded {
    module: Option<JITModule>,
    entry: extern "C" fn(*mut u64),
}

impl Loaded {
    pub fn new(kernel: &Kernel) -> Loaded {
        let builder = JITBuilder::new(cranelift_module::default_libcall_names()).unwrap();
        let mut module = JITModule::new(builder);
        let signature = module.make_signature();
        let id = module.declare_function("kernel", Linkage::Local, &signature).unwrap();
        module.define_function_bytes(id, 64, &kernel.bytes, &[]).unwrap();
        module.finalize_definitions().unwrap();
        let address = module.get_finalized_function(id);
        // SAFETY: the bytes are a function of one pointer with the platform's C calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut u64)>(address) };
        Loaded { module: Some(module), entry }
    }

    pub fn call(&self, env: &mut [u64]) {
        (self.entry)(env.as_mut_ptr());
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the entry is not called any more.
            unsafe { module.free_memory() };
        }
    }
}

/// Elements, with all NaNs the same.
fn canonical(elem: Elem, bytes: &[u8]) -> Vec<u64> {
    let element = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        canonical_word(elem, u64::from_le_bytes(word))
    };
    bytes.chunks(elem.bytes()).map(element).collect()
}

fn canonical_word(elem: Elem, bits: u64) -> u64 {
    match elem {
        Elem::F64 if f64::from_bits(bits).is_nan() => u64::MAX,
        Elem::F32 if f32::from_bits(bits as u32).is_nan() => u64::MAX,
        _ => bits,
    }
}

/// Compares a kernel with its evaluator for lengths up to three vectors and a few more.
pub fn check(name: &str, program: &Program, case: impl Fn(usize, u64) -> Case) {
    for isa in Isa::ALL {
        if !supported(isa) {
            eprintln!("skipped: {} on {name}, which this machine lacks", isa.name());
            continue;
        }
        let kernel = match assemble(program, isa) {
            Ok(kernel) => kernel,
            Err(arr_x86::Error::Unsupported(_)) if isa == Isa::Avx2 => continue,
            Err(error) => panic!("{name} {isa:?}: {error}\n{}", print(program)),
        };
        let loaded = Loaded::new(&kernel);
        let far = 3 * kernel.step;
        for n in (0..=far).chain([kernel.width, 2 * kernel.width + kernel.step + 3, 3 * kernel.width - 1]) {
            for seed in 0..2 {
                compare(&format!("{name} {isa:?} n={n} seed={seed}"), program, &kernel, &loaded, case(n, seed));
            }
        }
    }
}

fn compare(name: &str, program: &Program, kernel: &Kernel, loaded: &Loaded, case: Case) {
    let Case { elem, mut arrays, mut env } = case;
    let mut memory = Memory::default();
    for (slot, offset, bytes) in &mut arrays {
        let start = bytes.as_mut_ptr();
        env[*slot] = start as u64 + (GUARD + *offset) as u64;
        memory.add(start as u64, bytes.clone());
    }
    let mut expected = env.clone();
    eval(program, kernel, &mut expected, &mut memory).unwrap_or_else(|e| panic!("{name}: {e}\n{}", print(program)));
    loaded.call(&mut env);
    for (k, (slot, _, bytes)) in arrays.iter().enumerate() {
        let (found, wanted) = (canonical(elem, bytes), canonical(elem, memory.region(k)));
        if let Some(at) = (0..found.len()).find(|&i| found[i] != wanted[i]) {
            let place = at as i64 - (GUARD / elem.bytes()) as i64;
            let (found, wanted) = (found[at], wanted[at]);
            panic!("{name}: env {slot}[{place}] is {found:#x}, not {wanted:#x}\n{}", print(program));
        }
    }
    let result = |env: &[u64]| {
        let bits = if elem == Elem::F32 { env[9] & 0xffff_ffff } else { env[9] };
        canonical_word(elem, bits)
    };
    assert_eq!(result(&env), result(&expected), "{name}\n{}", print(program));
}
