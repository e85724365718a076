//! `arr devices`: the graphics devices of this machine, and their capabilities.

use crate::commands::{Result, print};
use crate::options::Devices;
use arr_driver::DeviceReport;
use serde_json::json;

/// Prints the devices. Fails with E1006 without the feature `gpu`, with E0707 if they cannot be printed.
pub fn run(options: &Devices) -> Result<()> {
    let devices = arr_driver::devices()?;
    if options.json {
        let list: Vec<serde_json::Value> = devices.iter().map(as_json).collect();
        return print(&format!("{}\n", serde_json::Value::from(list)));
    }
    if devices.is_empty() {
        let how = arr_driver::how_to_get_a_device();
        return print(&format!("there is no graphics device that programs can run on\n{how}\n"));
    }
    print(&devices.iter().map(page).collect::<Vec<String>>().join("\n"))
}

fn as_json(device: &DeviceReport) -> serde_json::Value {
    let limits: serde_json::Map<String, serde_json::Value> =
        device.limits.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    json!({
        "number": device.number,
        "name": device.name,
        "kind": device.kind,
        "backend": device.backend,
        "driver": device.driver,
        "f64": device.float64,
        "i64": device.int64,
        "subgroups": device.subgroups.map(|(least, most)| [least, most]),
        "limits": limits,
    })
}

fn page(device: &DeviceReport) -> String {
    let yes = |has: bool| if has { "yes" } else { "no" }.to_string();
    let subgroups = match device.subgroups {
        None => "no".to_string(),
        Some((least, most)) if least == most => format!("of {least}"),
        Some((least, most)) => format!("of {least} to {most}"),
    };
    let mut rows = vec![
        ("kind", format!("{}, through {}", device.kind, device.backend)),
        ("driver", device.driver.clone()),
        ("f64", yes(device.float64)),
        ("i64", yes(device.int64)),
        ("subgroups", subgroups),
    ];
    rows.extend(device.limits.iter().map(|&(name, value)| limit(name, value)));
    let lines: String = rows.iter().map(|(what, value)| format!("    {what:<28}{value}\n")).collect();
    format!("{}: {}\n{lines}", device.number, device.name)
}

/// A limit in words.
fn limit(name: &'static str, value: u64) -> (&'static str, String) {
    match name {
        "binding_bytes" => ("largest array in a kernel", bytes(value)),
        "buffer_bytes" => ("largest array", bytes(value)),
        "workgroup_bytes" => ("memory of a workgroup", bytes(value)),
        "workgroup_invocations" => ("invocations of a workgroup", value.to_string()),
        "groups" => ("workgroups in a row", value.to_string()),
        "storage_buffers" => ("arrays in a kernel", value.to_string()),
        "element_iterations" => ("iterations of an element", value.to_string()),
        other => (other, value.to_string()),
    }
}

/// In the largest unit that divides it, or rounded down to one if it is long.
fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.into_iter().find(|(_, size)| n >= *size) {
        Some((unit, size)) if n.is_multiple_of(size) => format!("{} {unit}", n / size),
        Some((unit, size)) => format!("{:.1} {unit}", n as f64 / size as f64),
        None => format!("{n} bytes"),
    }
}
