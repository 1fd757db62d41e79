/**
 * Why this state of the project cannot be released; empty when it can. `changed` is what `git status --porcelain` prints, `tag` the tag
 * of the release, if it is there already.
 */
export function releaseProblems({ packageJson, changelog, changed, tag }) {
  const { version } = packageJson
  return [
    changed.trim() === '' ? '' : 'the working tree has changes: commit them',
    changelog.includes(`\n## ${version}\n`) ? '' : `CHANGELOG.md has no section ${version}`,
    tag === undefined || tag === `v${version}` ? '' : `the tag ${tag} is not that of version ${version}`,
    // npm records where a package with provenance was built, and refuses it when package.json names another place.
    tag === undefined || packageJson.repository !== undefined
      ? ''
      : 'package.json has no "repository", which npm requires for provenance',
  ].filter((problem) => problem !== '')
}
