import { recording as row } from '../../client/features/recording/recording'
import type { Feature } from '../../client/feature'

export const recording: Feature = {
  ...row,
  imports: {
    recorder: () => import('../../extensions/recorder/recorder'),
    recorderFrames: () => import('../../extensions/recorderFrames/recorderFrames'),
    recorderPage: () => import('../../extensions/recorderPage/recorderPage'),
    recorderPlugins: () => import('../../extensions/recorderPlugins/recorderPlugins'),
  },
}
