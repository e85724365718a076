//! Runs a kernel and its evaluator on equal memory.

use arr_x86::{Elem, Isa, Kernel, Memory, Program, assemble, eval, print};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module};

/// Guard bytes before and after every array, which nothing may touch.
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

/// Numbers with some edge cases; for even seeds all are ordinary.
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
        // Sums over special values are NaN, whatever else is in them.
        let ordinary = seed.is_multiple_of(2);
        let mut seed = seed.wrapping_add(5);
        case.arrays.retain(|(slot, ..)| *slot != 2);
        case.add(2, 0, floats(elem, n.max(m), &mut seed, ordinary));
        case.env[4] = m as u64;
        case.add(6, 0, floats(elem, n * m, &mut seed, true));
        case
    }

    /// As `rows`, and: 10 the first iteration.
    pub fn later(elem: Elem, n: usize, first: usize, seed: u64) -> Case {
        let mut case = Case::rows(elem, n, seed);
        case.env[10] = first as u64;
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
    entry: extern "C" fn(*mut u64) -> i64,
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
        let entry = unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut u64) -> i64>(address) };
        Loaded { module: Some(module), entry }
    }

    pub fn call(&self, env: &mut [u64]) -> i64 {
        (self.entry)(env.as_mut_ptr())
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
    let meaning = |env: &mut Vec<u64>, memory: &mut Memory| {
        eval(program, kernel, env, memory).unwrap_or_else(|e| panic!("{name}: {e}\n{}", print(program)))
    };
    let (mut expected, mut shorter, mut fresh) = (env.clone(), env.clone(), memory.clone());
    let end = meaning(&mut expected, &mut memory);
    let found = loaded.call(&mut env);
    let result = |env: &[u64]| {
        let bits = if elem == Elem::F32 { env[9] & 0xffff_ffff } else { env[9] };
        canonical_word(elem, bits)
    };
    if end < env[0] as i64 {
        // The evaluator reaches the iteration itself, the kernel those of the same step.
        assert!(found <= end && end < found + kernel.width as i64, "{name}: {found}, not {end}");
        // Accumulators hold the results of the iterations before.
        shorter[0] = found as u64;
        meaning(&mut shorter, &mut fresh);
        assert_eq!(result(&env), result(&shorter), "{name}: left at {found}\n{}", print(program));
        return;
    }
    assert!(found >= end, "{name}: {found}, not {end}");
    for (k, (slot, _, bytes)) in arrays.iter().enumerate() {
        let (found, wanted) = (canonical(elem, bytes), canonical(elem, memory.region(k)));
        if let Some(at) = (0..found.len()).find(|&i| found[i] != wanted[i]) {
            let place = at as i64 - (GUARD / elem.bytes()) as i64;
            let (found, wanted) = (found[at], wanted[at]);
            panic!("{name}: env {slot}[{place}] is {found:#x}, not {wanted:#x}\n{}", print(program));
        }
    }
    assert_eq!(result(&env), result(&expected), "{name}\n{}", print(program));
}

/// Compares a kernel that writes one array past the cache with its evaluator, where that array begins on a boundary.
pub fn check_stream(program: &Program, elem: Elem, n: usize) {
    for isa in Isa::ALL.into_iter().filter(|&isa| supported(isa)) {
        let kernel = assemble(program, isa).unwrap();
        let loaded = Loaded::new(&kernel);
        let mut seed = 3;
        let x = floats(elem, n, &mut seed, true);
        let mut out = vec![0xa5u8; n * elem.bytes() + 2 * GUARD];
        let gap = GUARD - out.as_ptr() as usize % 64;
        let start = out.as_mut_ptr() as u64;
        let mut memory = Memory::default();
        memory.add(x.as_ptr() as u64, x.clone());
        memory.add(start, out.clone());
        let mut env = vec![0; 12];
        (env[0], env[1], env[2], env[3]) = (n as u64, x.as_ptr() as u64, x.as_ptr() as u64, start + gap as u64);
        let mut expected = env.clone();
        eval(program, &kernel, &mut expected, &mut memory).unwrap();
        loaded.call(&mut env);
        assert!(out == memory.region(1), "{isa:?} {elem:?} n={n}\n{}", print(program));
    }
}

/// Compares a kernel of one function with what interpreted code calls, on 4,000 numbers of all magnitudes.
pub fn check_function(program: &Program, elem: Elem, function: &dyn Fn(f64) -> f64) {
    let mut seed = 11;
    let mut numbers: Vec<f64> = EDGES.to_vec();
    for k in 0..4000 {
        let size = [1.0, 30.0, 800.0, 1e-3][k % 4];
        numbers.push((random(&mut seed) as f64 / f64::from(1u32 << 30) - 1.0) * size);
        numbers.push(f64::from_bits(random(&mut seed) << 33 ^ random(&mut seed) << 12));
    }
    let bytes = |bits: u64| bits.to_le_bytes().into_iter().take(elem.bytes());
    let x: Vec<u8> = numbers.iter().flat_map(|&x| bytes(elem.bits(x))).collect();
    let expected: Vec<u8> = numbers
        .iter()
        .flat_map(|&x| bytes(elem.bits(function(if elem == Elem::F32 { f64::from(x as f32) } else { x }))))
        .collect();
    for isa in Isa::ALL.into_iter().filter(|&isa| supported(isa)) {
        let loaded = Loaded::new(&assemble(program, isa).unwrap());
        let mut out = vec![0u8; x.len()];
        let mut env =
            [numbers.len() as u64, x.as_ptr() as u64, x.as_ptr() as u64, out.as_mut_ptr() as u64, 0, 0, 0, 0, 0, 0, 0];
        // If the kernel is left, the plain loop executes the iteration.
        loop {
            let reached = loaded.call(&mut env) as usize;
            let Some(&x) = numbers.get(reached) else { break };
            let bytes = elem.bytes();
            let value = elem.bits(function(if elem == Elem::F32 { f64::from(x as f32) } else { x }));
            out[reached * bytes..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            env[10] = reached as u64 + 1;
        }
        let (found, wanted) = (canonical(elem, &out), canonical(elem, &expected));
        for (k, x) in numbers.iter().enumerate() {
            assert_eq!(found[k], wanted[k], "{isa:?} {elem:?} of {x:e}\n{}", print(program));
        }
    }
}
