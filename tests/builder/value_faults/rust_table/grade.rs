/// The least points for each grade, the best one first.
const LEAST: [(char, u32); 4] = [('A', 90), ('B', 80), ('C', 77), ('D', 60)];

pub fn grade(points: u32) -> char {
    for (sign, least) in LEAST {
        if points >= least {
            return sign;
        }
    }
    'F'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best() {
        assert_eq!(grade(95), 'A');
    }

    #[test]
    fn every_ten_points() {
        assert_eq!(grade(80), 'B');
        assert_eq!(grade(70), 'C');
        assert_eq!(grade(60), 'D');
    }
}
