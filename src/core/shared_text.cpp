#include <batfill/core/shared_text.hpp>

namespace batfill {

SharedText::Kept* SharedText::keep(std::string text) {
    return new Kept(std::move(text));
}

void SharedText::drop(const Kept* kept) {
    delete kept;
}

}  // namespace batfill
