// Stands in for build/console/console_assets.cc in a build without the console.
#include "server/http/console_assets.h"

namespace laurel::server {

std::span<const ConsoleAsset> ConsoleAssets() { return {}; }

}  // namespace laurel::server
