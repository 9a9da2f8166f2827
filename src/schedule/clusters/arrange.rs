//! The order of clusters that stay apart: a sequence, in which those that do not depend on each other are beside each
//! other.
//!
//! The report (7.3.6) puts all in one sequence. As in later versions of isl, it is split at the cluster with most
//! neighbours, because that is most likely to leave parts on both sides that fall into independent ones, and so on in
//! those.

use std::collections::BTreeSet;

/// A node of an arrangement. The first of a list of them is the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterGroup {
    /// All clusters in it, ascending.
    pub clusters: Vec<usize>,
    /// How they are ordered.
    pub kind: Kind,
}

/// How the parts of a group follow each other; numbers are positions in the list of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It has a single cluster.
    Single,
    /// One after the other.
    Sequence(Vec<usize>),
    /// In any order.
    Set(Vec<usize>),
}

/// Arranges clusters that are in topological order, given for each of them those that follow it.
pub fn arrange(after: &[BTreeSet<usize>]) -> Vec<ClusterGroup> {
    let after = reduced(after);
    let mut before = vec![Vec::new(); after.len()];
    for (cluster, next) in after.iter().enumerate() {
        next.iter().for_each(|&next| before[next].push(cluster));
    }
    let region = vec![0; after.len()];
    let mut arranger = Arranger { after, before, region, regions: 0, groups: Vec::new(), waiting: Vec::new() };
    arranger.add((0..arranger.after.len()).collect());
    while let Some(group) = arranger.waiting.pop() {
        arranger.expand(group);
    }
    arranger.groups
}

/// Without edges to what can be reached through another one.
fn reduced(after: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let words = after.len().div_ceil(64);
    let mut reach = vec![vec![0u64; words]; after.len()];
    let mut reduced = vec![Vec::new(); after.len()];
    for cluster in (0..after.len()).rev() {
        let mut reached = vec![0u64; words];
        // Those that come first may lead to those that come later.
        for &next in &after[cluster] {
            let bit = 1 << (next % 64);
            if reached[next / 64] & bit == 0 {
                reduced[cluster].push(next);
                reached[next / 64] |= bit;
                reached.iter_mut().zip(&reach[next]).for_each(|(word, more)| *word |= more);
            }
        }
        reach[cluster] = reached;
    }
    reduced
}

struct Arranger {
    /// Those that directly follow a cluster.
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    /// The latest part that each cluster was put in: edges between parts are dealt with.
    region: Vec<usize>,
    regions: usize,
    groups: Vec<ClusterGroup>,
    /// Groups with more than one cluster that are not split yet.
    waiting: Vec<usize>,
}

impl Arranger {
    /// Makes a group of clusters of their own region; it is ordered later.
    fn add(&mut self, clusters: Vec<usize>) -> usize {
        self.regions += 1;
        clusters.iter().for_each(|&cluster| self.region[cluster] = self.regions);
        if clusters.len() > 1 {
            self.waiting.push(self.groups.len());
        }
        self.groups.push(ClusterGroup { clusters, kind: Kind::Single });
        self.groups.len() - 1
    }

    /// Splits a connected group.
    fn expand(&mut self, group: usize) {
        let clusters = self.groups[group].clusters.clone();
        let parts = match self.best_split(&clusters) {
            None => clusters.into_iter().map(|cluster| self.add(vec![cluster])).collect(),
            Some(split) => {
                let (first, rest) = clusters.split_at(split);
                let pieces = [first, &rest[..1], &rest[1..]];
                pieces.into_iter().filter(|piece| !piece.is_empty()).map(|piece| self.piece(piece.to_vec())).collect()
            }
        };
        self.groups[group].kind = Kind::Sequence(parts);
    }

    /// The position of the cluster with most neighbours within the group, the first if there are several. None: it is a
    /// chain.
    fn best_split(&self, clusters: &[usize]) -> Option<usize> {
        let mut best = None;
        for (position, &cluster) in clusters.iter().enumerate() {
            let here = |others: &[usize]| others.iter().filter(|&&o| self.region[o] == self.region[cluster]).count();
            let (after, before) = (here(&self.after[cluster]), here(&self.before[cluster]));
            if (after > 1 || before > 1) && best.is_none_or(|(_, neighbours)| neighbours < after + before) {
                best = Some((position, after + before));
            }
        }
        best.map(|(position, _)| position)
    }

    /// A group for a part of another, with its independent parts beside each other.
    fn piece(&mut self, clusters: Vec<usize>) -> usize {
        let group = self.add(clusters);
        if self.groups[group].clusters.len() == 1 {
            return group;
        }
        let parts = self.connected_parts(group);
        if parts.len() > 1 {
            // Its parts wait in its place.
            self.waiting.pop();
            let parts = parts.into_iter().map(|part| self.add(part)).collect();
            self.groups[group].kind = Kind::Set(parts);
        }
        group
    }

    /// The connected parts of a group, ordered by their first clusters.
    fn connected_parts(&self, group: usize) -> Vec<Vec<usize>> {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut seen = BTreeSet::new();
        for &first in &self.groups[group].clusters {
            if !seen.insert(first) {
                continue;
            }
            let mut part = vec![first];
            let mut open = vec![first];
            while let Some(cluster) = open.pop() {
                for &other in self.after[cluster].iter().chain(&self.before[cluster]) {
                    if self.region[other] == self.region[first] && seen.insert(other) {
                        part.push(other);
                        open.push(other);
                    }
                }
            }
            part.sort_unstable();
            parts.push(part);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrangement as text: sequences in brackets, sets in braces.
    fn arranged(clusters: usize, edges: &[(usize, usize)]) -> String {
        let mut after = vec![BTreeSet::new(); clusters];
        edges.iter().for_each(|&(from, to)| assert!(from < to && after[from].insert(to)));
        let groups = arrange(&after);
        print(&groups, 0)
    }

    fn print(groups: &[ClusterGroup], at: usize) -> String {
        let list = |parts: &[usize]| parts.iter().map(|&part| print(groups, part)).collect::<Vec<_>>().join(" ");
        match &groups[at].kind {
            Kind::Single => groups[at].clusters[0].to_string(),
            Kind::Sequence(parts) => format!("[{}]", list(parts)),
            Kind::Set(parts) => format!("{{{}}}", list(parts)),
        }
    }

    #[test]
    fn chains_are_sequences() {
        assert_eq!(arranged(2, &[(0, 1)]), "[0 1]");
        assert_eq!(arranged(4, &[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)]), "[0 1 2 3]");
    }

    #[test]
    fn independent_clusters_are_beside_each_other() {
        assert_eq!(arranged(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]), "[0 [{1 2} 3]]");
        assert_eq!(arranged(5, &[(0, 2), (1, 2), (2, 3), (2, 4)]), "[{0 1} 2 {3 4}]");
        // Two chains from a common start.
        assert_eq!(arranged(5, &[(0, 1), (1, 3), (0, 2), (2, 4)]), "[0 {[1 3] [2 4]}]");
    }

    #[test]
    fn all_clusters_occur_once_and_in_order() {
        let mut state: u64 = 11;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for _ in 0..300 {
            let n = 3 + next(8);
            let mut after = vec![BTreeSet::new(); n];
            for to in 1..n {
                (0..=next(2)).for_each(|_| {
                    after[next(to)].insert(to);
                });
            }
            let groups = arrange(&after);
            let place = |cluster: usize| path(&groups, cluster);
            for (from, to) in after.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| (from, to))) {
                assert!(follows(&place(from), &place(to)), "{after:?} {groups:?}");
            }
        }
    }

    /// The positions of a cluster in the groups around it, from the outermost on, with whether that is a sequence.
    fn path(groups: &[ClusterGroup], cluster: usize) -> Vec<(usize, bool)> {
        let (mut at, mut path) = (0, Vec::new());
        loop {
            let (parts, ordered) = match &groups[at].kind {
                Kind::Single => return path,
                Kind::Sequence(parts) => (parts, true),
                Kind::Set(parts) => (parts, false),
            };
            let mut inside = (0..parts.len()).filter(|&i| groups[parts[i]].clusters.contains(&cluster));
            let position = inside.next().unwrap();
            assert!(inside.next().is_none());
            path.push((position, ordered));
            at = parts[position];
        }
    }

    fn follows(first: &[(usize, bool)], second: &[(usize, bool)]) -> bool {
        let (a, b) = first.iter().zip(second).find(|(a, b)| a != b).unwrap();
        a.1 && a.0 < b.0
    }
}
