export { autocapture } from '../../client/features/autocapture/autocapture'
