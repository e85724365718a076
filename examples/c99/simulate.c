/* The closed loop: a pendulum that begins at 0.3 rad, pushed at after two seconds, kept upright for six. */

#include "controller.h"
#include "pendulum.h"

#include <stdio.h>

int main(void)
{
    controller_state s = {0.0f, 0.3f, 0.0f, 0.0f};
    int step, status = 0;
    for (step = 0; step <= 120; step++) {
        const float force = controller_force(&s, &status);
        controller_state next;
        if (status == 0 && step % 10 == 0) {
            printf("%4.1f s: position %7.3f m, angle %7.4f rad, force %7.2f N\n", 0.05 * step, (double)s.position,
                (double)s.angle, (double)force);
        }
        if (status == 0) {
            status = pendulum_move(s.position, s.angle, s.speed, s.spin, force, &next.position, &next.angle, &next.speed,
                &next.spin);
        }
        if (status != 0) {
            fprintf(stderr, "%s: %s\n", pendulum_explain(status)->place, pendulum_explain(status)->message);
            return 1;
        }
        s = next;
        if (step == 40) {
            s.spin += 1.0f;
        }
    }
    return s.angle * s.angle < 2.5e-3f && s.position * s.position < 0.25f ? 0 : 2;
}
