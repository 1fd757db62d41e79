import * as disk from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { World } from './world.ts'

export type { World }
export const placeholder = { disk, homedir, hostname, Worker }
