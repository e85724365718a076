/* Nothing that arr has written. */
int mine(void);
