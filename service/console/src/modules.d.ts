/** CSS modules: class names by their names in the file. */
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>
  export default names
}
