-- A model predictive controller for a pendulum on a cart: the cost of a plan of forces, whose gradient the controller
-- follows. `controller.c` is the controller, and `simulate.c` a simulation of the loop that it closes.
--
-- $ arr build pendulum.arr --grad cost --wrt plan --entry move --sizes n=20 --float f32 -o pendulum.c

--| Position of the cart in m, angle from upright in rad, and their rates.
type State = { position: f64, angle: f64, speed: f64, spin: f64 }

def gravity: f64 = 9.81
--| Masses in kg: the cart's and the pendulum's.
def cart: f64 = 1.0
def bob: f64 = 0.2
--| The length of the pendulum in m.
def rod: f64 = 0.5
--| The time between two moves in s.
def period: f64 = 0.05

--| The rates of change of a state under a force in N.
def rates(s: State, force: f64) -> State =
  let (c, d) = (cos(s.angle), sin(s.angle))
  let push = (force + bob * rod * s.spin * s.spin * d) / (cart + bob)
  let spin = (gravity * d - push * c) / (rod * (4.0 / 3.0 - bob * c * c / (cart + bob)))
  in {
    position = s.speed,
    angle = s.spin,
    speed = push - bob * rod * spin * c / (cart + bob),
    spin = spin
  }

def along(s: State, k: State, t: f64) -> State = {
  position = s.position + t * k.position,
  angle = s.angle + t * k.angle,
  speed = s.speed + t * k.speed,
  spin = s.spin + t * k.spin
}

--| The state one period later, by the classical method of Runge and Kutta.
def move(s: State, force: f64) -> State =
  let k1 = rates(s, force)
  let k2 = rates(along(s, k1, period / 2), force)
  let k3 = rates(along(s, k2, period / 2), force)
  let k4 = rates(along(s, k3, period), force)
  in along(along(along(along(s, k1, period / 6), k2, period / 3), k3, period / 3), k4, period / 6)

def price(s: State) -> f64 =
  s.position ** 2 + 10.0 * s.angle ** 2 + 0.1 * s.speed ** 2 + 0.1 * s.spin ** 2

--| What a plan of forces costs from a state on: the sum of the prices of all states and of the forces.
def cost(plan: [n]f64, start: State) -> f64 =
  (loop (s, total) = (start, 0.0) for k < n do
     let next = move(s, plan[k])
     in (next, total + price(next) + 0.001 * plan[k] ** 2)).1
