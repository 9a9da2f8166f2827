//! A plot of lines as SVG, both axes logarithmic.

use anyhow::{Context, Result};
use plotters::prelude::*;

/// What to draw.
pub struct Curves<'a> {
    /// The line above.
    pub title: &'a str,
    /// What the horizontal axis means.
    pub across: &'a str,
    /// What the vertical axis means.
    pub up: &'a str,
    /// Each line's name and its points; only numbers above 0 are drawn.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

const SIZE: (u32, u32) = (900, 560);

impl Curves<'_> {
    /// The SVG document.
    ///
    /// # Errors
    /// When there is nothing to draw.
    pub fn to_svg(&self) -> Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let drawn = self.draw(&area).with_context(|| format!("cannot draw '{}'", self.title));
        drop(area);
        drawn.map(|()| svg)
    }

    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Result<()> {
        area.fill(&WHITE)?;
        let ((left, right), (low, high)) = (self.range(|point| point.0)?, self.range(|point| point.1)?);
        let mut plot = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d((left..right).log_scale(), (low..high).log_scale())?;
        plot.configure_mesh().x_desc(self.across).y_desc(self.up).draw()?;
        for (number, (name, points)) in self.lines.iter().enumerate() {
            let style = ShapeStyle::from(Palette99::pick(number)).stroke_width(2).filled();
            let points = points.iter().copied().filter(is_drawn);
            let line = plot.draw_series(LineSeries::new(points, style).point_size(3))?;
            line.label(name.as_str()).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        let names = &mut plot.configure_series_labels();
        names.position(SeriesLabelPosition::UpperLeft).background_style(WHITE).border_style(BLACK).draw()?;
        area.present()?;
        Ok(())
    }

    /// The powers of ten around all points' numbers of one kind.
    fn range(&self, number: impl Fn(&(f64, f64)) -> f64) -> Result<(f64, f64)> {
        let points = self.lines.iter().flat_map(|(_, points)| points).filter(|point| is_drawn(point));
        let powers: Vec<f64> = points.map(|point| number(point).log10()).collect();
        let (least, most) = (powers.iter().copied().reduce(f64::min), powers.iter().copied().reduce(f64::max));
        let (least, most) = least.zip(most).context("there are no points")?;
        Ok((10_f64.powf(least.floor()), 10_f64.powf(most.ceil().max(least.floor() + 1.0))))
    }
}

fn is_drawn(point: &(f64, f64)) -> bool {
    [point.0, point.1].iter().all(|number| number.is_finite() && *number > 0.0)
}

#[cfg(test)]
mod tests {
    use super::Curves;

    fn curves(points: &[(f64, f64)]) -> Curves<'static> {
        let lines = vec![("a < b".to_owned(), points.to_vec()), ("none".to_owned(), Vec::new())];
        Curves { title: "times", across: "statements", up: "seconds", lines }
    }

    #[test]
    fn each_point_has_a_mark_within_the_axes() {
        let curves = curves(&[(10.0, 0.002), (300.0, 4.0), (1000.0, 0.0)]);
        assert_eq!(curves.range(|point| point.0).unwrap(), (10.0, 1000.0));
        assert_eq!(curves.range(|point| point.1).unwrap(), (0.001, 10.0));
        let svg = curves.to_svg().unwrap();
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains("seconds"), "{svg}");
    }

    #[test]
    fn without_points_there_is_no_picture() {
        assert!(curves(&[]).to_svg().is_err());
    }
}
