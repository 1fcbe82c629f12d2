/** CSS modules: class names by their names in the file. */
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>
  export default names
}

/** The script tag of this release. `{token}` and `{url}` stand for the project's token and the service's URL. */
declare const __SCRIPT_TAG__: string
declare const __SHORT_TAG__: string

/** The version of this release. */
declare const __VERSION__: string
