import { parse } from 'yaml'

/**
 * The content of a YAML document: a workflow, an action, a pipeline.
 * @param {string} text
 * @returns {unknown}
 */
export function parseYaml(text) {
  return parse(text)
}
