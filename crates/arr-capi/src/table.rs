//! The table of each function in an object, and how it is read.

use crate::description::{Description, ENCODING};
use arr_runtime::Entry;
use std::mem::{offset_of, size_of};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Kinds of target processors, the best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Every processor of the architecture; or the one of the compiling machine.
    Any,
    /// x86-64 with AVX2, FMA, BMI: `x86-64-v3`.
    V3,
}

/// The number of levels.
pub const LEVELS: usize = 2;

/// A function in an object.
#[repr(C)]
#[derive(Debug)]
pub struct FunctionTable {
    /// [`FORMAT`] of the compiler.
    pub format: u64,
    pub words: *const u64,
    pub word_count: u64,
    pub text: *const u8,
    pub text_len: u64,
    /// The elements of every constant.
    pub constants: *const *const u8,
    pub imports: *const ImportTable,
    /// The code for each level.
    pub versions: [Option<Entry>; LEVELS],
}

/// The imports of an object's code from the runtime.
#[repr(C)]
#[derive(Debug)]
pub struct ImportTable {
    /// The names, each followed by a line feed.
    pub names: *const u8,
    pub names_len: u64,
    /// The addresses, in the order of the names. Code jumps through them.
    pub slots: *const AtomicPtr<u8>,
    /// 1 once the addresses are filled in.
    pub ready: *const AtomicU64,
}

/// The offsets of the fields, for writers of tables.
pub mod offsets {
    use super::{FunctionTable, ImportTable, offset_of, size_of};
    pub const FORMAT: usize = offset_of!(FunctionTable, format);
    pub const WORDS: usize = offset_of!(FunctionTable, words);
    pub const WORD_COUNT: usize = offset_of!(FunctionTable, word_count);
    pub const TEXT: usize = offset_of!(FunctionTable, text);
    pub const TEXT_LEN: usize = offset_of!(FunctionTable, text_len);
    pub const CONSTANTS: usize = offset_of!(FunctionTable, constants);
    pub const IMPORTS: usize = offset_of!(FunctionTable, imports);
    pub const VERSIONS: usize = offset_of!(FunctionTable, versions);
    pub const FUNCTION_BYTES: usize = size_of::<FunctionTable>();
    pub const NAMES: usize = offset_of!(ImportTable, names);
    pub const NAMES_LEN: usize = offset_of!(ImportTable, names_len);
    pub const SLOTS: usize = offset_of!(ImportTable, slots);
    pub const READY: usize = offset_of!(ImportTable, ready);
    pub const IMPORT_BYTES: usize = size_of::<ImportTable>();
}

/// Differs between versions whose objects and runtimes are incompatible: a hash of the version, of the layouts that compiled
/// code relies on, and of the form of descriptions.
pub const FORMAT: u64 = {
    use arr_runtime::offsets::{BUFFER_DATA, BUFFER_REFS, CODE, SPAN, STEPS_LEFT, VALUES};
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let mut at = 0;
    while at < version.len() {
        hash = mixed(hash, version[at] as u64);
        at += 1;
    }
    let places = [BUFFER_DATA, BUFFER_REFS, CODE, SPAN, STEPS_LEFT, VALUES, offsets::FUNCTION_BYTES, ENCODING];
    let mut at = 0;
    while at < places.len() {
        hash = mixed(hash, places[at] as u64);
        at += 1;
    }
    hash
};

/// A step of FNV-1a.
const fn mixed(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3)
}

impl FunctionTable {
    /// # Safety
    ///
    /// The table is one that the compiler of this version wrote.
    pub(crate) unsafe fn description(&self) -> Option<Description> {
        // SAFETY: the compiler wrote as many words and bytes there.
        let (words, text) = unsafe { (slice(self.words, self.word_count)?, slice(self.text, self.text_len)?) };
        Description::decode(words, text)
    }

    /// The code for the best level that this processor has.
    pub(crate) fn entry(&self) -> Option<Entry> {
        let [any, v3] = self.versions;
        if has_v3() { v3.or(any) } else { any }
    }

    /// Fills the slots that the object's code jumps through, unless that is done. Fails with the name that is missing,
    /// if one is.
    ///
    /// # Safety
    ///
    /// As for [`FunctionTable::description`].
    pub(crate) unsafe fn link(&self) -> Result<(), String> {
        let missing = || "its imports".to_string();
        // SAFETY: the compiler wrote the addresses of its own tables.
        let imports = unsafe { self.imports.as_ref() }.ok_or_else(missing)?;
        // SAFETY: as above.
        let ready = unsafe { imports.ready.as_ref() }.ok_or_else(missing)?;
        if ready.load(Ordering::Acquire) == 1 {
            return Ok(());
        }
        // SAFETY: the compiler wrote as many bytes there.
        let names = unsafe { slice(imports.names, imports.names_len) }.ok_or_else(missing)?;
        let names = std::str::from_utf8(names).map_err(|_| missing())?;
        let symbols = arr_runtime::symbols();
        for (at, name) in names.lines().enumerate() {
            let symbol = symbols.iter().find(|s| s.name == name).ok_or_else(|| format!("`{name}`"))?;
            // SAFETY: there is a slot for every name. Threads that get here together write the same addresses.
            unsafe { (*imports.slots.add(at)).store(symbol.address.cast_mut(), Ordering::Relaxed) };
        }
        ready.store(1, Ordering::Release);
        Ok(())
    }
}

/// # Safety
///
/// There are so many elements at the address, for good.
unsafe fn slice<'a, T>(data: *const T, len: u64) -> Option<&'a [T]> {
    if len == 0 {
        return Some(&[]);
    }
    // SAFETY: as the caller promises.
    (!data.is_null()).then(|| unsafe { std::slice::from_raw_parts(data, len as usize) })
}

#[cfg(target_arch = "x86_64")]
fn has_v3() -> bool {
    // The features that the compiler enables for `Level::V3`, see `arr-cpu`.
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("sse4.2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_v3() -> bool {
    false
}
