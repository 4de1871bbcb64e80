import type { Draw } from "./draw.ts";
import type { FaultStage } from "./fault_stage.ts";

/** What a fault was drawn with, such as its delay. It is printed and stored. */
export type Settings = Readonly<Record<string, number | string>>;

/** A kind of fault. */
export interface Fault {
  readonly name: string;
  /** How often the fault is drawn, compared with the others. */
  readonly weight: number;
  /** Two faults of a round never have the same family, because they might undo each other. */
  readonly family: "network" | "process" | "disk";
  /** How long the fault lasts, in milliseconds: the shortest and the longest time. */
  readonly lasts: readonly [number, number];
  /** True if some requests are refused or get no reply. */
  readonly disturbs?: true;
  /** True if some requests wait until the fault ends, or fail. */
  readonly delays?: true;
  /** True if a partner gives up waiting after a short time, because its own connection is broken. */
  readonly breaksPartner?: true;
  /** Draws the settings of one occurrence. */
  draw(draw: Draw): Settings;
  /** Returns a function that repairs the damage, or undefined if there was no process to strike. */
  strike(stage: FaultStage, settings: Settings): Promise<Repair | undefined>;
}

export type Repair = () => Promise<void>;

export const nothing: Repair = async () => {};
