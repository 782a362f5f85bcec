package example

import "errors"

// ErrFunds is returned where more is taken than there is.
var ErrFunds = errors.New("not enough funds")

// Account holds a balance in cents.
type Account struct{ balance int }

// Deposit puts money in.
func (a *Account) Deposit(cents int) { a.balance += cents }

// Withdraw takes money out; with ErrFunds it takes none.
func (a *Account) Withdraw(cents int) error {
	a.balance -= cents
	if a.balance < 0 {
		return ErrFunds
	}
	return nil
}

// Balance is what there is.
func (a *Account) Balance() int { return a.balance }
