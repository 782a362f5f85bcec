package example

import "testing"

func TestWithdrawTakesNothingWithoutFunds(t *testing.T) {
	account := &Account{}
	account.Deposit(100)
	if err := account.Withdraw(150); err != ErrFunds {
		t.Fatalf("Withdraw(150) = %v, want ErrFunds", err)
	}
	if account.Balance() != 100 {
		t.Errorf("after a refused Withdraw(150): Balance() = %d, want 100", account.Balance())
	}
}
