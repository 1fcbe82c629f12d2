import { recording as row } from '../../client/features/recording/recording'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const recording: Feature = {
  ...row,
  runFeatures,
  imports: {
    recorder: () => import('../../extensions/recorder/recorder'),
    recorderFrames: () => import('../../extensions/recorderFrames/recorderFrames'),
    recorderPage: () => import('../../extensions/recorderPage/recorderPage'),
    recorderPlugins: () => import('../../extensions/recorderPlugins/recorderPlugins'),
  },
}
