/*
 * The plan is kept between moves: it is moved on by one period, and then improved by a few steps along its gradient,
 * with a step length that grows while it helps (Barzilai and Borwein, Two-point step size gradient methods, 1988).
 */

#include "controller.h"

#include "pendulum.h"

#include <string.h>

enum { ROUNDS = 12 };

static const float LARGEST_FORCE = 15.0f;

static float plan[CONTROLLER_STEPS];
static float work[pendulum_cost_value_and_grad_work_f32];

static float clipped(float force)
{
    return force > LARGEST_FORCE ? LARGEST_FORCE : force < -LARGEST_FORCE ? -LARGEST_FORCE : force;
}

static int slope_at(const controller_state *s, float *slope)
{
    float cost;
    return pendulum_cost_value_and_grad(plan, s->position, s->angle, s->speed, s->spin, &cost, slope, work);
}

float controller_force(const controller_state *state, int *status)
{
    float slope[CONTROLLER_STEPS], last[CONTROLLER_STEPS];
    float length = 0.05f;
    int round, at;
    memmove(plan, plan + 1, sizeof plan - sizeof plan[0]);
    *status = slope_at(state, slope);
    for (round = 0; round < ROUNDS && *status == 0; round++) {
        float moved = 0.0f, turned = 0.0f;
        memcpy(last, plan, sizeof last);
        for (at = 0; at < CONTROLLER_STEPS; at++) {
            plan[at] = clipped(plan[at] - length * slope[at]);
            last[at] = plan[at] - last[at];
            turned -= last[at] * slope[at];
        }
        *status = slope_at(state, slope);
        for (at = 0; at < CONTROLLER_STEPS; at++) {
            moved += last[at] * last[at];
            turned += last[at] * slope[at];
        }
        length = turned > 1e-9f ? moved / turned : 0.05f;
        length = length > 5.0f ? 5.0f : length;
    }
    return plan[0];
}
