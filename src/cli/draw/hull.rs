//! The convex hull of points in the plane.

type Point = (f64, f64);

/// The corners of the hull, around it; fewer than three for points on one line.
pub fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut corners = half(sorted.iter().copied());
    corners.pop();
    let mut back = half(sorted.iter().rev().copied());
    back.pop();
    corners.append(&mut back);
    corners
}

/// The chain of corners along points in order that never turns right.
fn half(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut chain: Vec<Point> = Vec::new();
    for point in points {
        while let [.., one, other] = chain.as_slice() {
            if (other.0 - one.0) * (point.1 - one.1) - (other.1 - one.1) * (point.0 - one.0) > 0.0 {
                break;
            }
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::hull;

    #[test]
    fn corners_alone_are_left() {
        let grid: Vec<_> = (0..9).map(|i| (f64::from(i % 3), f64::from(i / 3))).collect();
        assert_eq!(hull(&grid), [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
        assert_eq!(hull(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]), [(0.0, 0.0), (2.0, 2.0)]);
        assert_eq!(hull(&[(1.0, 1.0), (1.0, 1.0)]), [(1.0, 1.0)]);
        assert!(hull(&[]).is_empty());
    }
}
