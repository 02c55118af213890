guardOf(front, ann).
guardOf(back, bob).
