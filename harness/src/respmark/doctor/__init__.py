"""What on this machine would spoil a measurement."""
