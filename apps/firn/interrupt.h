// Ctrl-C and SIGTERM: work that knows of them ends tidily.
#pragma once

// From now on they only set a mark.
void catch_interrupts();
// Whether one came since.
bool interrupted();
