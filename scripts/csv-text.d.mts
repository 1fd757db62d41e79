import type { Plugin } from 'vitest/config'

export function csvText(): Plugin
