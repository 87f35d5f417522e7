#!/usr/bin/env python3
"""The peers' scene in Drake: a discrete MultibodyPlant, built from Python, stepped by its own
simulator without Python in the loop. Takes the words of scene.hpp and prints the same JSON object.

  --setting approximation=lagged|tamsi|sap|similar   how contact is solved; none: Drake's default
  --setting root=middle        the floating joint on the middle link instead of link 1
  --setting ports=live         outputs are not sampled once more after every step
  --setting allowance=M        penetration allowance, the contacts' stiffness; none: Drake's 1 mm
  --setting stiction=M_PER_S   sliding speed up to which regularised friction is no longer full; none: 1 mm/s

Servos: Drake's own PD actuators, implicit in the step. TAMSI has none, so that it gets the same torque
from the state at the step's begin: a gain and a sum in the diagram.
"""

import argparse
from importlib.metadata import version
import json
import logging
import math
import os
import struct
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
from ruler import C, load_cylinders
sys.path.pop(0)  # this folder: pydrake has a module `drake` of its own

from pydrake.geometry import (CollisionFilterDeclaration, Cylinder, GeometrySet, HalfSpace, Sphere)
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import (AddMultibodyPlantSceneGraph, CoulombFriction, ContactModel,
                                     DiscreteContactApproximation)
from pydrake.multibody.tree import (FixedOffsetFrame, PdControllerGains, RevoluteJoint,
                                    SpatialInertia, UnitInertia)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import (Adder, ConstantVectorSource, MatrixGain, Multiplexer, Sine)
import numpy as np

logging.getLogger("drake").setLevel(logging.ERROR)  # of half spaces and deformable bodies
APPROXIMATIONS = {"lagged": DiscreteContactApproximation.kLagged,
                  "tamsi": DiscreteContactApproximation.kTamsi,
                  "sap": DiscreteContactApproximation.kSap,
                  "similar": DiscreteContactApproximation.kSimilar}


class Scene:
    """Diagram, simulator and where things are in them."""

    def __init__(self, job, settings):
        self.job = job
        n = job.n
        builder = DiagramBuilder()
        plant, scene_graph = AddMultibodyPlantSceneGraph(builder, time_step=C.dt)
        self.plant = plant
        plant.set_contact_model(ContactModel.kPoint)
        if "approximation" in settings:
            plant.set_discrete_contact_approximation(APPROXIMATIONS[settings["approximation"]])
        if settings.get("ports") == "live":
            plant.SetUseSampledOutputPorts(False)
        explicit = plant.get_discrete_contact_approximation() == DiscreteContactApproximation.kTamsi

        # links; the chain hangs on the root outwards in both directions
        m, axial, across = C.mass, C.inertia_axial, C.inertia
        inertia = SpatialInertia(m, [0, 0, 0], UnitInertia(axial / m, across / m, across / m))
        self.links = [plant.AddRigidBody(f"link{i + 1}", inertia) for i in range(n)]
        self.root = (n - 1) // 2 if settings.get("root") == "middle" else 0
        friction = CoulombFriction(C.friction, C.friction)
        for i, link in enumerate(self.links):
            for side in (-1, 1):
                plant.RegisterCollisionGeometry(link, RigidTransform([side * C.half_core, 0, 0]),
                                                Sphere(C.radius), f"sphere{i + 1}{side:+d}", friction)
        half = C.length / 2
        self.joints = []
        for i in range(n - 1):  # between links i and i + 1
            rear = plant.AddFrame(FixedOffsetFrame(f"rear{i + 1}", self.links[i].body_frame(),
                                                   RigidTransform([half, 0, 0])))
            front = plant.AddFrame(FixedOffsetFrame(f"front{i + 1}", self.links[i + 1].body_frame(),
                                                    RigidTransform([-half, 0, 0])))
            if i >= self.root:
                joint = RevoluteJoint(f"phi{i + 1}", rear, front, [0, 0, 1])
            else:
                joint = RevoluteJoint(f"phi{i + 1}", front, rear, [0, 0, -1])
            self.joints.append(plant.AddJoint(joint))
            actuator = plant.AddJointActuator(f"servo{i + 1}", self.joints[-1])
            if not explicit:
                actuator.set_controller_gains(PdControllerGains(p=C.k_P, d=C.k_D))

        world = plant.world_body()
        plant.RegisterCollisionGeometry(world, RigidTransform(), HalfSpace(), "floor", friction)
        cylinders = load_cylinders(job.cylinders, job.turned) if job.cylinders else []
        for k, (x, y, radius) in enumerate(cylinders):
            plant.RegisterCollisionGeometry(world, RigidTransform([x, y, 0.5]), Cylinder(radius, 1.0),
                                            f"cylinder{k}", friction)
        slope = {"gait": 0.0, "creep": C.slope_held, "slide": C.slope_slid}[job.task]
        along = C.gravity * math.sin(slope)
        plant.mutable_gravity_field().set_gravity_vector(
            [along * math.cos(job.turned), along * math.sin(job.turned), -C.gravity * math.cos(slope)])
        plant.Finalize()
        if "allowance" in settings:
            plant.set_penetration_allowance(float(settings["allowance"]))
        if "stiction" in settings:
            plant.set_stiction_tolerance(float(settings["stiction"]))
        spheres = GeometrySet()
        for link in self.links:
            spheres.Add(plant.GetCollisionGeometriesForBody(link))
        scene_graph.collision_filter_manager().Apply(
            CollisionFilterDeclaration().ExcludeWithin(spheres))

        # references of the end of the step that starts now
        self.phases = C.delta * np.arange(n - 1)
        if job.task == "gait":
            ones = np.ones(n - 1)
            wave = builder.AddSystem(Sine(C.amplitude * ones, C.omega * ones,
                                          self.phases + C.omega * C.dt))
            phi, rate = wave.get_output_port(0), wave.get_output_port(1)
        else:
            held = builder.AddSystem(ConstantVectorSource(np.zeros(n - 1)))
            phi = rate = held.get_output_port()
        if explicit:
            order = plant.MakeActuatorSelectorMatrix([j.index() for j in self.joints])
            positions, velocities = plant.num_positions(), plant.num_velocities()
            feedback = np.zeros((n - 1, positions + velocities))
            for k, joint in enumerate(self.joints):
                feedback[k, joint.position_start()] = -C.k_P
                feedback[k, positions + joint.velocity_start()] = -C.k_D
            from_state = builder.AddSystem(MatrixGain(order.T @ feedback))
            from_phi = builder.AddSystem(MatrixGain(C.k_P * order.T))
            from_rate = builder.AddSystem(MatrixGain(C.k_D * order.T))
            torque = builder.AddSystem(Adder(3, n - 1))
            builder.Connect(plant.get_state_output_port(), from_state.get_input_port())
            builder.Connect(phi, from_phi.get_input_port())
            builder.Connect(rate, from_rate.get_input_port())
            for k, part in enumerate((from_state, from_phi, from_rate)):
                builder.Connect(part.get_output_port(), torque.get_input_port(k))
            builder.Connect(torque.get_output_port(), plant.get_actuation_input_port())
        else:
            both = builder.AddSystem(Multiplexer([n - 1, n - 1]))
            builder.Connect(phi, both.get_input_port(0))
            builder.Connect(rate, both.get_input_port(1))
            instance = self.links[0].model_instance()
            builder.Connect(both.get_output_port(), plant.get_desired_state_input_port(instance))

        self.simulator = Simulator(builder.Build())
        self.context = plant.GetMyContextFromRoot(self.simulator.get_context())

    def start(self):
        """At rest, link 1 at the origin along +x turned with the scene, joints at their references."""
        job = self.job
        context = self.simulator.get_mutable_context()
        self.simulator.get_system().SetDefaultContext(context)
        context.SetTime(0.0)
        gait = job.task == "gait"
        angles = C.amplitude * np.sin(self.phases) if gait else np.zeros(job.n - 1)
        theta, x, y = job.turned, 0.0, 0.0
        for i in range(self.root + 1):
            x += C.length / 2 * math.cos(theta)
            y += C.length / 2 * math.sin(theta)
            if i == self.root:
                break
            x += C.length / 2 * math.cos(theta)
            y += C.length / 2 * math.sin(theta)
            theta += angles[i]
        mine = self.plant.GetMyMutableContextFromRoot(context)
        self.plant.SetFreeBodyPose(mine, self.links[self.root],
                                   RigidTransform(RollPitchYaw(0, 0, theta), [x, y, C.radius]))
        for joint, angle in zip(self.joints, angles):
            joint.set_angle(mine, angle)
        self.simulator.Initialize()

    def advance(self, k):
        """To the state of t = k dt; half a step short of the clock, to be clear of rounding."""
        self.simulator.AdvanceTo((k - 0.5) * C.dt)

    def poses(self):
        values = []
        for link in self.links:
            pose = self.plant.EvalBodyPoseInWorld(self.context, link)
            values += [*pose.translation(), *pose.rotation().col(0)]
        return values


def time_run(scene, steps):
    scene.start()
    begin = time.process_time()
    scene.advance(steps)
    return time.process_time() - begin


def watch(scene, job, steps, result):
    """A run that is looked at after every step."""
    scene.start()
    form = struct.Struct(f"<{6 * job.n}d")
    port = scene.plant.get_contact_results_output_port()
    contacts = 0
    result["failed"] = 0
    with open(job.poses, "wb") as file:
        file.write(form.pack(*scene.poses()))
        for k in range(1, steps + 1):
            try:
                scene.advance(k)
            except RuntimeError as error:  # Drake gives up
                print(f"drake: step {k}: {error}", file=sys.stderr)
                result["failed"] = 1
                return
            file.write(form.pack(*scene.poses()))
            contacts += port.Eval(scene.context).num_point_pair_contacts()
    result["contacts"] = contacts / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="gait", choices=["gait", "creep", "slide"])
    parser.add_argument("--n", type=int, default=10)
    parser.add_argument("--turned", type=float, default=0.0)
    parser.add_argument("--duration", type=float, default=5.0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--cylinders", default="")
    parser.add_argument("--poses", default="")
    parser.add_argument("--setting", action="append", default=[])
    job = parser.parse_args()
    job.turned *= C.degree
    scene = Scene(job, dict(word.split("=", 1) for word in job.setting))
    steps = round(job.duration / C.dt)
    result = dict.fromkeys(["us_per_step", "contacts", "residual", "law", "iterations",
                            "iterations_max", "failed"])
    if job.repeat > 0:
        best = min(time_run(scene, steps) for _ in range(job.repeat))
        result["us_per_step"] = 1e6 * best / steps
    if job.poses:
        watch(scene, job, steps, result)
    print(json.dumps({"engine": f"Drake {version('drake')}", "n": job.n} | result))


if __name__ == "__main__":
    main()
