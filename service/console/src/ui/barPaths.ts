import uPlot from 'uplot'

/** Share of a bucket's width that its bars take together. */
const WIDTH = 0.8

/** Draws a series as bars. Bars of several series stand side by side: this is series `index` of `count`. */
export const barPaths = (index: number, count: number): uPlot.Series.PathBuilder => {
  const size = WIDTH / count
  const left = -WIDTH / 2 + index * size
  return uPlot.paths.bars!({
    size: [1, Infinity],
    disp: {
      x0: { unit: 1, values: (chart) => Array.from(chart.data[0], (bucket) => bucket + left) },
      size: { unit: 1, values: () => [size] },
    },
  })
}
