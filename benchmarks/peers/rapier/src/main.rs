// The peers' scene in Rapier (double, soft steps). Takes the words of ../scene.hpp and prints the
// same JSON object; the scene's numbers are copied from there.
//
// Links: bodies with mass and inertia set, two balls; joints: revolute, with their motor as the
// servo. The motor, force-based, is the implicit PD law itself. Handing a joint its target makes
// Rapier put its joints together anew, so that warm starts of joints, off by default, cannot be had.
// Floor: a half-space; cylinders: capsules standing through it, round where the links can touch
// them.
//
//   --setting NAME=VALUE, repeated. None: Rapier's own defaults, with sleeping off.
//     iterations 4     substeps of a step
//     pgs 1            sweeps of a substep
//     stabilization 1  sweeps of a substep without the push out of a penetration
//     recycle 0.05     distance (m) over which a contact's old normal and points are kept, 0: never
//     ccd 1            sweeps of fast bodies
//     friction_bias 0  friction in the sweeps that push, too
//     friction simplified  or coulomb
//     contact_hertz 60, contact_damping 10  softness of contacts with what is fixed
//     joints impulse   or multibody: reduced coordinates
use rapier3d_f64::prelude::*;
use std::io::Write;

const MASS: Real = 0.682; // kg
const LENGTH: Real = 0.122; // m
const INERTIA: Real = 1.32e-3; // kg m², about both transverse axes
const INERTIA_AXIAL: Real = 9.4e-4;
const RADIUS: Real = 0.0525;
const HALF_CORE: Real = 0.0393;
const GRAVITY: Real = 9.81;
const FRICTION: Real = 0.3;
const K_P: Real = 60.0; // N m/rad
const K_D: Real = 0.4; // N m s/rad
const DT: Real = 1e-3;
const DEGREE: Real = std::f64::consts::PI / 180.0;
const AMPLITUDE: Real = 40.0 * DEGREE;
const OMEGA: Real = 80.0 * DEGREE;
const DELTA: Real = -50.0 * DEGREE;

fn fail(what: &str) -> ! {
    eprintln!("rapier: {what}");
    std::process::exit(2);
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse()
        .unwrap_or_else(|_| fail(&format!("not a number: {text}")))
}

#[derive(PartialEq, Clone, Copy)]
enum Task {
    Gait,
    Creep,
    Slide,
}

struct Job {
    task: Task,
    n: usize,
    turned: Real,
    duration: Real,
    repeat: usize,
    cylinders: String,
    poses: String,
    parameters: IntegrationParameters,
    multibody: bool,
}

impl Job {
    fn from_words() -> Self {
        let mut job = Job {
            task: Task::Gait,
            n: 10,
            turned: 0.0,
            duration: 5.0,
            repeat: 1,
            cylinders: String::new(),
            poses: String::new(),
            parameters: IntegrationParameters {
                dt: DT,
                ..Default::default()
            },
            multibody: false,
        };
        let words: Vec<String> = std::env::args().skip(1).collect();
        for pair in words.chunks_exact(2) {
            let value = pair[1].as_str();
            match pair[0].as_str() {
                "--task" => {
                    job.task = match value {
                        "gait" => Task::Gait,
                        "creep" => Task::Creep,
                        "slide" => Task::Slide,
                        _ => fail(&format!("unknown task {value}")),
                    }
                }
                "--n" => job.n = number(value),
                "--turned" => job.turned = number::<Real>(value) * DEGREE,
                "--duration" => job.duration = number(value),
                "--repeat" => job.repeat = number(value),
                "--cylinders" => job.cylinders = value.to_string(),
                "--poses" => job.poses = value.to_string(),
                "--setting" => match value.split_once('=') {
                    Some((name, what)) => job.apply(name, what),
                    None => fail("usage: --setting NAME=VALUE"),
                },
                word => fail(&format!("unknown word {word}")),
            }
        }
        job
    }

    fn apply(&mut self, name: &str, value: &str) {
        let p = &mut self.parameters;
        match (name, value) {
            ("iterations", _) => p.num_solver_iterations = number(value),
            ("pgs", _) => p.num_internal_pgs_iterations = number(value),
            ("stabilization", _) => p.num_internal_stabilization_iterations = number(value),
            ("recycle", _) => {
                p.normalized_contact_recycle_distance = number(value);
                p.contact_recycling = p.normalized_contact_recycle_distance > 0.0;
            }
            ("ccd", _) => p.max_ccd_substeps = number(value),
            ("friction_bias", _) => p.friction_in_bias_pass = number::<u8>(value) != 0,
            ("friction", "simplified") => p.friction_model = FrictionModel::Simplified,
            ("friction", "coulomb") => p.friction_model = FrictionModel::Coulomb,
            ("contact_hertz", _) => p.static_contact_softness.natural_frequency = number(value),
            ("contact_damping", _) => p.static_contact_softness.damping_ratio = number(value),
            ("joints", "impulse") => self.multibody = false,
            ("joints", "multibody") => self.multibody = true,
            _ => fail(&format!("unknown setting {name}={value}")),
        }
    }

    fn steps(&self) -> usize {
        (self.duration / DT).round() as usize
    }

    fn gravity(&self) -> Vector {
        let slope = match self.task {
            Task::Gait => 0.0,
            Task::Creep => 10.0 * DEGREE,
            Task::Slide => 25.0 * DEGREE,
        };
        let along = GRAVITY * slope.sin();
        Vector::new(
            along * self.turned.cos(),
            along * self.turned.sin(),
            -GRAVITY * slope.cos(),
        )
    }

    /// phi_d and its rate at t = k dt of joint i.
    fn reference(&self, k: usize, i: usize) -> (Real, Real) {
        if self.task != Task::Gait {
            return (0.0, 0.0);
        }
        let phase = OMEGA * k as Real * DT + i as Real * DELTA;
        (AMPLITUDE * phase.sin(), AMPLITUDE * OMEGA * phase.cos())
    }

    /// References of every step's end, made before the clock starts.
    fn references(&self) -> Vec<(Real, Real)> {
        (0..=self.steps())
            .flat_map(|k| (0..self.n - 1).map(move |i| self.reference(k, i)))
            .collect()
    }

    /// x, y and radius, turned with the scene.
    fn load_cylinders(&self) -> Vec<(Real, Real, Real)> {
        if self.cylinders.is_empty() {
            return Vec::new();
        }
        let text = std::fs::read_to_string(&self.cylinders)
            .unwrap_or_else(|error| fail(&format!("{}: {error}", self.cylinders)));
        let (s, c) = self.turned.sin_cos();
        text.lines()
            .skip(1)
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let v: Vec<Real> = line.split(',').map(|cell| number(cell.trim())).collect();
                (c * v[0] - s * v[1], s * v[0] + c * v[1], v[2])
            })
            .collect()
    }
}

enum Joints {
    Impulse(Vec<ImpulseJointHandle>),
    Multibody(Vec<MultibodyJointHandle>),
}

/// The scene at rest in its start pose.
struct World {
    world: PhysicsWorld,
    links: Vec<RigidBodyHandle>,
    joints: Joints,
}

impl World {
    fn new(job: &Job) -> Self {
        // a pair's friction: the mean; links meet the ground and nothing else
        let ground = InteractionGroups::new(Group::GROUP_1, Group::GROUP_2, Default::default());
        let link = InteractionGroups::new(Group::GROUP_2, Group::GROUP_1, Default::default());
        let surface = |collider: ColliderBuilder, groups| {
            collider
                .friction(FRICTION)
                .restitution(0.0)
                .density(0.0)
                .collision_groups(groups)
        };

        let mut world = PhysicsWorld {
            gravity: job.gravity(),
            integration_parameters: job.parameters,
            ..Default::default()
        };
        let floor = ColliderBuilder::new(SharedShape::halfspace(Vector::Z));
        world.colliders.insert(surface(floor, ground));
        for (x, y, radius) in job.load_cylinders() {
            let capsule =
                ColliderBuilder::capsule_z(0.5, radius).translation(Vector::new(x, y, 0.0));
            world.colliders.insert(surface(capsule, ground));
        }

        let mut links = Vec::new();
        let (mut x, mut y, mut theta) = (0.0, 0.0, job.turned);
        for i in 0..job.n {
            let (s, c) = theta.sin_cos();
            let at = Vector::new(x + LENGTH / 2.0 * c, y + LENGTH / 2.0 * s, RADIUS);
            let inertia = Vector::new(INERTIA_AXIAL, INERTIA, INERTIA);
            let body = RigidBodyBuilder::dynamic()
                .translation(at)
                .rotation(Vector::new(0.0, 0.0, theta))
                .additional_mass_properties(MassProperties::new(Vector::ZERO, MASS, inertia))
                .can_sleep(false);
            let handle = world.bodies.insert(body);
            for side in [-1.0, 1.0] {
                let ball = ColliderBuilder::ball(RADIUS).translation(Vector::new(
                    side * HALF_CORE,
                    0.0,
                    0.0,
                ));
                world
                    .colliders
                    .insert_with_parent(surface(ball, link), handle, &mut world.bodies);
            }
            links.push(handle);
            x += LENGTH * c;
            y += LENGTH * s;
            theta += job.reference(0, i).0;
        }

        let hinge = RevoluteJointBuilder::new(Vector::Z)
            .local_anchor1(Vector::new(LENGTH / 2.0, 0.0, 0.0))
            .local_anchor2(Vector::new(-LENGTH / 2.0, 0.0, 0.0))
            .contacts_enabled(false)
            .motor_model(MotorModel::ForceBased)
            .motor(0.0, 0.0, K_P, K_D);
        let joints = if job.multibody {
            let insert = |pair: &[RigidBodyHandle]| {
                world
                    .multibody_joints
                    .insert(pair[0], pair[1], hinge, true)
                    .unwrap_or_else(|| fail("a joint was refused"))
            };
            let handles: Vec<MultibodyJointHandle> = links.windows(2).map(insert).collect();
            // a multibody takes its pose from its joints' coordinates, which are 0
            for (i, handle) in handles.iter().enumerate() {
                let (multibody, id) = world.multibody_joints.get_mut(*handle).unwrap();
                let mut turn = [0.0; 6];
                let link = multibody.link_mut(id).unwrap();
                turn[0] = job.reference(0, i).0;
                link.joint.apply_displacement(&turn[..link.joint.ndofs()]);
            }
            Joints::Multibody(handles)
        } else {
            let insert = |pair: &[RigidBodyHandle]| {
                world.impulse_joints.insert(pair[0], pair[1], hinge, true)
            };
            Joints::Impulse(links.windows(2).map(insert).collect())
        };
        World {
            world,
            links,
            joints,
        }
    }

    fn step(&mut self, targets: &[(Real, Real)]) {
        match &self.joints {
            Joints::Impulse(handles) => {
                for (handle, (phi, rate)) in handles.iter().zip(targets) {
                    let joint = self.world.impulse_joints.get_mut(*handle, false).unwrap();
                    joint.data.set_motor(JointAxis::AngX, *phi, *rate, K_P, K_D);
                }
            }
            Joints::Multibody(handles) => {
                for (handle, (phi, rate)) in handles.iter().zip(targets) {
                    let (multibody, id) = self.world.multibody_joints.get_mut(*handle).unwrap();
                    let joint = &mut multibody.link_mut(id).unwrap().joint;
                    joint.data.set_motor(JointAxis::AngX, *phi, *rate, K_P, K_D);
                }
            }
        }
        self.world.step();
    }

    /// For every link x, y, z, e_x, e_y, e_z.
    fn poses(&self) -> Vec<Real> {
        let mut out = Vec::with_capacity(6 * self.links.len());
        for handle in &self.links {
            let body = &self.world.bodies[*handle];
            let at = body.translation();
            let e = *body.rotation() * Vector::X;
            out.extend([at.x, at.y, at.z, e.x, e.y, e.z]);
        }
        out
    }

    /// Points of all contacts the solver is handed.
    fn contacts(&self) -> usize {
        self.world
            .narrow_phase
            .contact_pairs()
            .flat_map(|pair| pair.manifolds().iter())
            .map(|manifold| manifold.data.solver_contacts.len())
            .sum()
    }
}

fn cpu_seconds() -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a timespec, and all the call does is to write it
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// One more run, looked at after every step: contacts in the mean, steps with a non-finite pose.
fn watch(job: &Job, references: &[(Real, Real)]) -> std::io::Result<(f64, f64)> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(&job.poses)?);
    let mut write = |poses: &[Real]| -> std::io::Result<()> {
        for value in poses {
            file.write_all(&value.to_ne_bytes())?;
        }
        Ok(())
    };
    let mut world = World::new(job);
    write(&world.poses())?;
    let (mut contacts, mut failed) = (0.0, 0.0);
    let joints = job.n - 1;
    for k in 1..=job.steps() {
        world.step(&references[k * joints..(k + 1) * joints]);
        let poses = world.poses();
        write(&poses)?;
        contacts += world.contacts() as f64 / job.steps() as f64;
        if poses.iter().any(|value| !value.is_finite()) {
            failed += 1.0;
        }
    }
    file.flush()?;
    Ok((contacts, failed))
}

fn main() {
    let job = Job::from_words();
    let references = job.references();
    let joints = job.n - 1;

    let mut best = f64::INFINITY;
    for _ in 0..job.repeat {
        let mut world = World::new(&job);
        let begin = cpu_seconds();
        for k in 1..=job.steps() {
            world.step(&references[k * joints..(k + 1) * joints]);
        }
        best = best.min((cpu_seconds() - begin) / job.steps() as f64);
    }
    let seen = (!job.poses.is_empty()).then(|| {
        watch(&job, &references).unwrap_or_else(|error| fail(&format!("{}: {error}", job.poses)))
    });

    let item = |value: Option<f64>| match value {
        Some(v) if v.is_finite() => format!("{v:?}"),
        _ => "null".to_string(),
    };
    let iterations = item(Some(job.parameters.num_solver_iterations as f64));
    println!(
        "{{\"engine\": \"Rapier {} (rapier3d-f64)\", \"n\": {}, \"us_per_step\": {}, \
         \"contacts\": {}, \"residual\": null, \"law\": null, \"iterations\": {iterations}, \
         \"iterations_max\": {iterations}, \"failed\": {}}}",
        rapier3d_f64::VERSION,
        job.n,
        item(Some(1e6 * best)),
        item(seen.map(|s| s.0)),
        item(seen.map(|s| s.1)),
    );
}
