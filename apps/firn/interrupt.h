// Ctrl-C and SIGTERM.
#pragma once

// From now on they end the program at once, with exit code 130 or 143 and without temporary files or other programs left behind.
void catch_interrupts();

// For work that ends tidily by itself when it asks and is told that a signal came. From the first question on, a signal is only noted; a
// second one ends the program at once.
bool interrupted();
// interrupted(), but a program that has not come to an end shortly after the signal is ended.
bool interrupted_in_haste();
// From now on signals end the program at once again, and so does one that was noted.
void end_at_once();

// The program's exit code after a tidy end.
int interrupted_code();
