//! What a column holds: its type in the file, as far as types of programs have values for it.

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use ::parquet::schema::types::Type;

/// The digits that a decimal number may have behind its point.
const DIGITS: i32 = 38;

/// How the values of a column become items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Integer,
    /// Integers without a sign, in the bits of those with one.
    Unsigned,
    /// Integers, with so many digits behind the point.
    Decimal(u32),
    Half,
    Single,
    Double,
    Text,
    /// Days since the start of 1970.
    Day,
    /// Units of so many nanoseconds since then.
    Moment(i64),
    /// Nanoseconds of a day, and a Julian day.
    Julian,
}

impl Kind {
    /// The kind of a column. Errors: what it holds instead, in the plural.
    pub(super) fn of(ty: &Type) -> Result<Kind, String> {
        let info = ty.get_basic_info();
        if !ty.is_primitive() {
            return Err(match (info.logical_type_ref(), info.converted_type()) {
                (Some(LogicalType::List), _) | (_, ConvertedType::LIST) => "lists",
                (Some(LogicalType::Map), _) | (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => "maps",
                _ => "records",
            }
            .to_string());
        }
        if info.has_repetition() && info.repetition() == Repetition::REPEATED {
            return Err("lists".to_string());
        }
        let scale = || match ty.get_scale() {
            scale @ 0..=DIGITS => Ok(Kind::Decimal(scale.unsigned_abs())),
            scale => Err(format!("decimals with {scale} digits behind the point")),
        };
        match (ty.get_physical_type(), info.logical_type_ref(), info.converted_type()) {
            (Physical::BOOLEAN, ..) => Ok(Kind::Bool),
            (Physical::FLOAT, ..) => Ok(Kind::Single),
            (Physical::DOUBLE, ..) => Ok(Kind::Double),
            (Physical::INT96, ..) => Ok(Kind::Julian),
            (_, Some(LogicalType::Decimal(_)), _) | (_, None, ConvertedType::DECIMAL) => scale(),
            (Physical::INT32 | Physical::INT64, logical, converted) => whole(logical, converted),
            (Physical::BYTE_ARRAY, logical, converted) => text(logical, converted),
            (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16), _) => Ok(Kind::Half),
            (_, Some(LogicalType::Uuid), _) => Err("UUIDs".to_string()),
            (.., ConvertedType::INTERVAL) => Err("intervals of time".to_string()),
            _ => Err("bytes".to_string()),
        }
    }

    /// Whether its values are numbers or dates.
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Kind::Bool | Kind::Text)
    }
}

fn whole(logical: Option<&LogicalType>, converted: ConvertedType) -> Result<Kind, String> {
    let times = || Err("times of day".to_string());
    match (logical, converted) {
        (Some(LogicalType::Date), _) => Ok(Kind::Day),
        (Some(LogicalType::Timestamp(stamp)), _) => Ok(Kind::Moment(match stamp.unit {
            TimeUnit::MILLIS => 1_000_000,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1,
        })),
        (Some(LogicalType::Time(_)), _) => times(),
        (Some(LogicalType::Integer(integer)), _) if !integer.is_signed => Ok(Kind::Unsigned),
        (Some(LogicalType::Integer(_) | LogicalType::Unknown), _) => Ok(Kind::Integer),
        (Some(_), _) => Err("values of a type that is not known".to_string()),
        (None, ConvertedType::DATE) => Ok(Kind::Day),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Ok(Kind::Moment(1_000_000)),
        (None, ConvertedType::TIMESTAMP_MICROS) => Ok(Kind::Moment(1_000)),
        (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => times(),
        (None, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64) => {
            Ok(Kind::Unsigned)
        }
        (None, _) => Ok(Kind::Integer),
    }
}

fn text(logical: Option<&LogicalType>, converted: ConvertedType) -> Result<Kind, String> {
    match (logical, converted) {
        (Some(LogicalType::String | LogicalType::Enum | LogicalType::Json | LogicalType::Unknown), _) => Ok(Kind::Text),
        (Some(LogicalType::Geometry(_) | LogicalType::Geography(_)), _) => Err("places on a map".to_string()),
        (Some(_), _) | (_, ConvertedType::BSON) => Err("bytes".to_string()),
        // Some programs do not say that their bytes are texts.
        (None, _) => Ok(Kind::Text),
    }
}
