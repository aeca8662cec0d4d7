#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace batfill::slurm {

// A set of the nodes 0 to size - 1, as a row of bits. Sets that are combined have the same size. No function but the
// constructor and a copy into a smaller set allocates memory.
// Cost: O(size / 64), except where a function says otherwise.
class NodeSet {
 public:
    NodeSet() = default;
    // The empty set of a cluster with `size` nodes.
    explicit NodeSet(int size) : words_((static_cast<std::size_t>(size) + 63) / 64), size_(size) {}

    static NodeSet all(int size) {
        NodeSet nodes(size);
        for (int node = 0; node < size; ++node) {
            nodes.insert(node);
        }
        return nodes;
    }

    int size() const { return size_; }

    // Cost: O(1).
    bool contains(int node) const { return (words_[word_of(node)] >> bit_of(node) & 1) != 0; }
    void insert(int node) { words_[word_of(node)] |= std::uint64_t{1} << bit_of(node); }
    void erase(int node) { words_[word_of(node)] &= ~(std::uint64_t{1} << bit_of(node)); }

    void clear() {
        for (std::uint64_t& word : words_) {
            word = 0;
        }
    }
    NodeSet& operator&=(const NodeSet& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] &= other.words_[i];
        }
        return *this;
    }
    // Keeps those that are in both. Returns whether there are some.
    bool keep_some_common(const NodeSet& other) {
        std::uint64_t common = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] &= other.words_[i];
            common |= words_[i];
        }
        return common != 0;
    }
    // Keeps those that are in both. Returns whether there are others.
    bool keep_common(const NodeSet& other) {
        std::uint64_t others = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            others |= words_[i] & ~other.words_[i];
            words_[i] &= other.words_[i];
        }
        return others != 0;
    }
    NodeSet& operator|=(const NodeSet& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] |= other.words_[i];
        }
        return *this;
    }
    NodeSet& operator-=(const NodeSet& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] &= ~other.words_[i];
        }
        return *this;
    }
    bool operator==(const NodeSet&) const = default;

    int count() const {
        return count_bits([&](std::size_t i) { return words_[i]; });
    }
    // Number of nodes that are in both.
    int count_common(const NodeSet& other) const {
        return count_bits([&](std::size_t i) { return words_[i] & other.words_[i]; });
    }
    bool intersects(const NodeSet& other) const {
        std::uint64_t common = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            common |= words_[i] & other.words_[i];
        }
        return common != 0;
    }
    bool is_subset_of(const NodeSet& other) const {
        std::uint64_t missing = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            missing |= words_[i] & ~other.words_[i];
        }
        return missing == 0;
    }

    // Keeps the nodes for which `function(node)` is true.
    template <class Function>
    void keep_if(Function function) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            std::uint64_t kept = 0;
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
                const int bit = std::countr_zero(word);
                kept |= static_cast<std::uint64_t>(function(static_cast<int>(i * 64) + bit)) << bit;
            }
            words_[i] = kept;
        }
    }

    // The first node from `from` on; size() if there is none.
    int next(int from) const { return next(from, 0); }
    // The first number from `from` on that is not in the set; size() if there is none.
    int next_missing(int from) const { return next(from, ~std::uint64_t{0}); }

    // Calls `function(node)` for each node in order, until it returns true. Returns whether it did.
    template <class Function>
    bool any_of(Function function) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
                if (function(static_cast<int>(i * 64) + std::countr_zero(word))) {
                    return true;
                }
            }
        }
        return false;
    }
    // Calls `function(node)` for each node in order.
    template <class Function>
    void for_each(Function function) const {
        any_of([&](int node) {
            function(node);
            return false;
        });
    }

 private:
    static std::size_t word_of(int node) { return static_cast<std::size_t>(node) / 64; }
    static unsigned bit_of(int node) { return static_cast<unsigned>(node) % 64; }

    // Adds up in each byte before it adds up the bytes, which compilers do for several words at once.
    template <class Word>
    int count_bits(Word word_at) const {
        constexpr std::size_t most = 31;  // words, so that no byte overflows
        std::uint64_t all = 0;
        for (std::size_t begin = 0; begin < words_.size(); begin += most) {
            std::uint64_t bytes = 0;
            const std::size_t end = std::min(begin + most, words_.size());
            for (std::size_t i = begin; i < end; ++i) {
                std::uint64_t word = word_at(i);
                word -= word >> 1 & 0x5555555555555555;
                word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
                bytes += (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
            }
            bytes = (bytes & 0x00ff00ff00ff00ff) + (bytes >> 8 & 0x00ff00ff00ff00ff);
            all += bytes * 0x0001000100010001 >> 48;
        }
        return static_cast<int>(all);
    }

    int next(int from, std::uint64_t flipped) const {
        if (from >= size_) {
            return size_;
        }
        std::size_t i = word_of(from);
        std::uint64_t word = (words_[i] ^ flipped) & (~std::uint64_t{0} << bit_of(from));
        while (word == 0) {
            if (++i == words_.size()) {
                return size_;
            }
            word = words_[i] ^ flipped;
        }
        const int found = static_cast<int>(i * 64) + std::countr_zero(word);
        return found < size_ ? found : size_;  // the last word has bits behind the last node
    }

    std::vector<std::uint64_t> words_;
    int size_ = 0;
};

}  // namespace batfill::slurm
