//! Measured times, their ratios, and their form in JSON.

use serde_json::{Map, Value, json};

/// One kernel's times.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The kernel.
    pub kernel: String,
    /// Seconds by configuration, in the order measured. A configuration that failed is absent.
    pub seconds: Vec<(&'static str, f64)>,
    /// How many times faster than the code as it is the plugin expects its code to be, by configuration.
    pub predicted: Vec<(&'static str, f64)>,
    /// Milliseconds that the plugin spent in each phase.
    pub phases: Vec<(String, f64)>,
}

impl Row {
    /// The time of a configuration.
    pub fn time(&self, config: &str) -> Option<f64> {
        self.seconds.iter().find(|(name, _)| *name == config).map(|(_, seconds)| *seconds)
    }

    /// The plugin said what it expects of a configuration.
    pub fn predicts(&self, config: &str) -> bool {
        self.predicted.iter().any(|(name, _)| *name == config)
    }

    /// How many times faster `config` is than `base`.
    pub fn ratio(&self, config: &str, base: &str) -> Option<f64> {
        Some(self.time(base)? / self.time(config)?)
    }
}

/// The geometric mean of the ratios of the kernels that have both times; none if there is no such kernel.
pub fn geomean(rows: &[Row], config: &str, base: &str) -> Option<f64> {
    let logarithms: Vec<f64> = rows.iter().filter_map(|row| row.ratio(config, base)).map(f64::ln).collect();
    #[expect(clippy::cast_precision_loss, reason = "a handful of kernels")]
    let count = logarithms.len() as f64;
    (count > 0.0).then(|| (logarithms.iter().sum::<f64>() / count).exp())
}

/// The contents of `target/bench/NAME.json`.
pub fn to_json(machine: Map<String, Value>, rows: &[Row], configs: &[&str], base: &str) -> Value {
    let row_json = |row: &Row| {
        let mut object = Map::from_iter([("kernel".to_owned(), Value::from(row.kernel.as_str()))]);
        object.extend(row.seconds.iter().map(|(config, seconds)| ((*config).to_owned(), json!(seconds))));
        Value::from(object)
    };
    let phases_json = |row: &Row| {
        let mut object = Map::from_iter([("kernel".to_owned(), Value::from(row.kernel.as_str()))]);
        object.extend(row.phases.iter().map(|(phase, time)| (phase.clone(), json!(time))));
        Value::from(object)
    };
    let predicted_json = |row: &Row| {
        let mut object = Map::from_iter([("kernel".to_owned(), Value::from(row.kernel.as_str()))]);
        object.extend(row.predicted.iter().map(|(config, ratio)| ((*config).to_owned(), json!(ratio))));
        Value::from(object)
    };
    let means: Map<String, Value> = configs
        .iter()
        .filter_map(|config| Some((format!("{config}/{base}"), json!(geomean(rows, config, base)?))))
        .collect();
    let timed: Vec<Value> = rows.iter().filter(|row| !row.phases.is_empty()).map(phases_json).collect();
    let predicted: Vec<Value> = rows.iter().filter(|row| !row.predicted.is_empty()).map(predicted_json).collect();
    json!({
        "machine": machine,
        "rows": rows.iter().map(row_json).collect::<Vec<_>>(),
        "geomean": means,
        "plugin_milliseconds": timed,
        "predicted": predicted,
    })
}

#[cfg(test)]
mod tests {
    use super::{Row, geomean, to_json};
    use serde_json::Map;

    fn rows() -> Vec<Row> {
        let row = |kernel: &str, seconds: &[(&'static str, f64)]| Row {
            kernel: kernel.into(),
            seconds: seconds.to_vec(),
            predicted: Vec::new(),
            phases: vec![("lift".into(), 1.5)],
        };
        vec![
            row("a", &[("clang", 8.0), ("default", 1.0)]),
            row("b", &[("clang", 1.0), ("default", 2.0)]),
            row("c", &[("clang", 1.0)]),
        ]
    }

    #[test]
    fn ratios_above_one_are_faster_and_failures_do_not_count() {
        let rows = rows();
        assert_eq!(rows[0].ratio("default", "clang"), Some(8.0));
        assert_eq!(rows[2].ratio("default", "clang"), None);
        assert!((geomean(&rows, "default", "clang").unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(geomean(&rows, "polly", "clang"), None);
    }

    #[test]
    fn the_json_keeps_its_contract() {
        let json = to_json(Map::new(), &rows(), &["default", "polly"], "clang");
        assert_eq!(json["rows"][0]["kernel"], "a");
        assert_eq!(json["rows"][1]["default"], 2.0);
        assert!(json["rows"][2].get("default").is_none());
        assert!((json["geomean"]["default/clang"].as_f64().unwrap() - 2.0).abs() < 1e-12);
        assert!(json["geomean"].get("polly/clang").is_none());
        assert!(json["machine"].is_object());
        assert_eq!(json["plugin_milliseconds"][0]["lift"], 1.5);
    }
}
