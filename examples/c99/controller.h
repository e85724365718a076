/* A model predictive controller in memory that is fixed when it is compiled. */

#ifndef CONTROLLER_H
#define CONTROLLER_H

enum { CONTROLLER_STEPS = 20 };

typedef struct {
    float position, angle, speed, spin;
} controller_state;

/* The force to apply for one period, in N; `status` is set to a status of pendulum.h if one fails. */
float controller_force(const controller_state *state, int *status);

#endif
