import { join } from 'node:path'
import { processBuild, type SourcemapOptions } from './upload'

export type { SourcemapOptions } from './upload'

/** The files of a Rollup output. */
interface RollupOutput {
  dir?: string
  file?: string
}

/** A plugin of Rollup, Rolldown and Vite. */
export interface RollupPlugin {
  name: string
  apply: 'build'
  writeBundle: {
    order: 'post'
    sequential: true
    handler(output: RollupOutput, bundle: Record<string, unknown>): Promise<void>
  }
}

const NAME = 'trailmark-sourcemaps'
const IS_CODE = /\.[cm]?js$/

/**
 * Uploads the source maps of a Rollup, Rolldown or Vite build, and deletes them from its output. Turn maps on in the
 * bundler, best as hidden ones: `build: { sourcemap: 'hidden' }`.
 * @example plugins: [rollup({ host: 'https://events.example.com', projectId: 1 })]
 */
export const rollup = (options: SourcemapOptions = {}): RollupPlugin => ({
  name: NAME,
  apply: 'build',
  writeBundle: {
    order: 'post',
    sequential: true,
    handler: ({ dir, file }, bundle) =>
      processBuild(
        file
          ? [file]
          : Object.keys(bundle)
              .filter((name) => IS_CODE.test(name))
              .map((name) => join(dir ?? '.', name)),
        options,
      ),
  },
})

/** The same for Vite. */
export const vite = rollup

interface WebpackCompiler {
  hooks: { afterEmit: { tapPromise(name: string, run: (compilation: WebpackCompilation) => Promise<void>): void } }
}
interface WebpackCompilation {
  outputOptions: { path?: string }
  getAssets(): readonly { name: string }[]
}

/**
 * Uploads the source maps of a webpack or Rspack build, and deletes them from its output. Set `devtool: 'hidden-source-map'`.
 * @example plugins: [webpack({ host: 'https://events.example.com', projectId: 1 })]
 */
export const webpack = (options: SourcemapOptions = {}): { apply(compiler: WebpackCompiler): void } => ({
  apply: (compiler) =>
    compiler.hooks.afterEmit.tapPromise(NAME, (compilation) =>
      processBuild(
        compilation
          .getAssets()
          .map(({ name }) => name.replace(/\?.*$/, ''))
          .filter((name) => IS_CODE.test(name))
          .map((name) => join(compilation.outputOptions.path ?? '.', name)),
        options,
      ),
    ),
})
