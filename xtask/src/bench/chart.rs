//! A plot of ratios as SVG: a group of horizontal bars for each kernel, on a logarithmic axis around 1.

use std::fmt::Write;

/// What to draw.
pub struct Chart<'a> {
    /// The line above.
    pub title: &'a str,
    /// What the axis means.
    pub axis: &'a str,
    /// The names of the bars of each group.
    pub series: &'a [&'a str],
    /// Each group's label and a ratio for each series; none leaves a gap.
    pub groups: Vec<(String, Vec<Option<f64>>)>,
}

const COLORS: [&str; 7] = ["#1b6ca8", "#e07a1f", "#7a8b99", "#5a9e4b", "#a34a7d", "#b8a13a", "#4aa3a0"];
const LABEL_WIDTH: f64 = 200.0;
const PLOT_WIDTH: f64 = 760.0;
const VALUE_WIDTH: f64 = 60.0;
const HEADER: f64 = 70.0;
const FOOTER: f64 = 40.0;
const BAR: f64 = 9.0;
const GAP: f64 = 7.0;

impl Chart<'_> {
    /// The SVG document.
    pub fn to_svg(&self) -> String {
        let (low, high) = self.range();
        #[expect(clippy::cast_precision_loss, reason = "a handful of bars")]
        let group_height = BAR * self.series.len() as f64 + GAP;
        #[expect(clippy::cast_precision_loss, reason = "a handful of groups")]
        let plot_height = group_height * self.groups.len() as f64;
        let (width, height) = (LABEL_WIDTH + PLOT_WIDTH + VALUE_WIDTH, HEADER + plot_height + FOOTER);
        let x = |ratio: f64| LABEL_WIDTH + PLOT_WIDTH * (ratio.log2() - low) / (high - low);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LABEL_WIDTH}\" y=\"22\" font-size=\"15\">{}</text>\n",
            escape(self.title)
        );
        self.draw_legend(&mut svg);
        self.draw_axis(&mut svg, &x, low, high, HEADER + plot_height);
        let mut y = HEADER + GAP / 2.0;
        for (label, ratios) in &self.groups {
            let middle = y + (group_height - GAP) / 2.0 + 4.0;
            text(&mut svg, LABEL_WIDTH - 8.0, middle, "end", label);
            for (index, ratio) in ratios.iter().enumerate() {
                if let Some(ratio) = ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0) {
                    draw_bar(&mut svg, (x(1.0), x(ratio)), y, COLORS[index % COLORS.len()], ratio);
                }
                y += BAR;
            }
            y += GAP;
        }
        svg + "</svg>\n"
    }

    /// The powers of two between which all ratios lie.
    fn range(&self) -> (f64, f64) {
        let ratios = self.groups.iter().flat_map(|(_, ratios)| ratios.iter().flatten());
        let logarithms = ratios.map(|ratio| ratio.log2()).filter(|logarithm| logarithm.is_finite());
        let (low, high) =
            logarithms.fold((-1.0_f64, 1.0_f64), |(low, high), logarithm| (low.min(logarithm), high.max(logarithm)));
        (low.floor(), high.ceil())
    }

    fn draw_legend(&self, svg: &mut String) {
        let mut x = LABEL_WIDTH;
        for (index, name) in self.series.iter().enumerate() {
            let color = COLORS[index % COLORS.len()];
            let _ = writeln!(svg, "<rect x=\"{x}\" y=\"33\" width=\"10\" height=\"10\" fill=\"{color}\"/>");
            text(svg, x + 15.0, 42.0, "start", name);
            x += 110.0;
        }
    }

    fn draw_axis(&self, svg: &mut String, x: &impl Fn(f64) -> f64, low: f64, high: f64, bottom: f64) {
        let mut power = low;
        while power <= high {
            let (at, ratio) = (x(power.exp2()), power.exp2());
            let color = if power == 0.0 { "#000000" } else { "#d5d5d5" };
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.1}\" y1=\"{HEADER}\" x2=\"{at:.1}\" y2=\"{bottom:.1}\" stroke=\"{color}\"/>"
            );
            text(svg, at, HEADER - 6.0, "middle", &format!("{ratio}"));
            power += 1.0;
        }
        text(svg, LABEL_WIDTH + PLOT_WIDTH / 2.0, bottom + 24.0, "middle", self.axis);
    }
}

fn draw_bar(svg: &mut String, (one, end): (f64, f64), y: f64, color: &str, ratio: f64) {
    let (left, width, height) = (one.min(end), (one - end).abs().max(0.5), BAR - 1.0);
    let _ =
        writeln!(svg, "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{color}\"/>");
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"8\">{ratio:.2}</text>",
        one.max(end) + 3.0,
        y + BAR - 2.0
    );
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let words = escape(words);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::Chart;

    fn chart(ratios: Vec<Option<f64>>) -> Chart<'static> {
        Chart { title: "a < b", axis: "times", series: &["one", "two"], groups: vec![("k".into(), ratios)] }
    }

    #[test]
    fn there_is_a_bar_for_each_ratio() {
        let bars = |ratios| chart(ratios).to_svg().matches("<rect x=").count();
        // Two belong to the legend.
        assert_eq!(bars(vec![Some(4.0), Some(0.3)]), 4);
        assert_eq!(bars(vec![Some(4.0), None]), 3);
        assert_eq!(bars(vec![Some(f64::INFINITY), Some(0.0)]), 2);
    }

    #[test]
    fn the_axis_holds_all_ratios() {
        assert_eq!(chart(vec![Some(1.1), None]).range(), (-1.0, 1.0));
        assert_eq!(chart(vec![Some(5.0), Some(0.2)]).range(), (-3.0, 3.0));
    }

    #[test]
    fn text_is_escaped() {
        let svg = chart(vec![None, None]).to_svg();
        assert!(svg.contains("a &lt; b") && !svg.contains("a < b"));
    }
}
