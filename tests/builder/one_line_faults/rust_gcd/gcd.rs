/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a / b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_twelve_and_eighteen() {
        assert_eq!(gcd(12, 18), 6);
    }

    #[test]
    fn with_zero() {
        assert_eq!(gcd(5, 0), 5);
    }
}
