//! A JSON object as its fields, in order, with unread values.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// The fields of a JSON object; a repeated name is refused.
#[derive(Clone, Debug, Default)]
pub struct Fields<'a> {
    pub list: Vec<(String, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.list.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut list: Vec<(String, &'de RawValue)> = Vec::new();
                let mut names: HashSet<String> = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format!("the field `{name}` comes twice")));
                    }
                    list.push((name, value));
                }
                Ok(list)
            }
        }
        deserializer.deserialize_map(Collect).map(|list| Fields { list })
    }
}
